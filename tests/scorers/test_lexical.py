"""The embedding by words alone."""

import numpy as np

from outputs.embeddings.model import Embedding, Role
from scorers.lexical import DIMENSIONS, LexicalBackend
from scorers.vectors import Vectors, rows_of_bytes

TEXTS = [
    "Use Muon with a tail average of the weights.",
    "Use Muon with spectral clipping of the momentum.",
    "Use Muon with a cosine schedule of the rate.",
]


def embedded(*texts: str) -> Vectors:
    found = LexicalBackend.fit(TEXTS).embed(texts, Role.DOCUMENT)
    return rows_of_bytes([found[text].vector or b"" for text in texts])


def test_vectors_have_unit_length_and_equal_texts_are_equal() -> None:
    rows = embedded(TEXTS[0], TEXTS[0].upper(), TEXTS[1])
    assert rows.shape == (3, DIMENSIONS)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    assert np.array_equal(rows[0], rows[1])


def test_rare_words_count_for_more_than_those_that_all_texts_have() -> None:
    whole, rare, common = embedded("Use Muon with spectral clipping", "spectral clipping", "Use Muon with")
    assert float(whole @ rare) > float(whole @ common) > 0.2


def test_a_paraphrase_is_beyond_it() -> None:
    told, retold = embedded("Average the weights over the last steps.", "Mean of parameters near the end.")
    assert float(told @ retold) < 0.3


def test_a_text_without_words_has_no_vector() -> None:
    assert LexicalBackend.fit(TEXTS).embed(["!?"], Role.DOCUMENT) == {
        "!?": Embedding(None, reason="The text has no words.")
    }


def test_it_costs_nothing() -> None:
    assert LexicalBackend.fit([]).estimate(["a", "a"]).usage.usd == 0
