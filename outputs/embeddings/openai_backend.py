"""Embeddings by OpenAI, or by a service that speaks its language."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from outputs.embeddings.model import FLOAT_BYTES, Embedding, Role, packed_unit, sendable
from outputs.embeddings.packing import Input, make_input, pack
from outputs.spending.budget import Estimate, Usage
from outputs.spending.cache import answer_key
from outputs.spending.errors import BadAnswerError, OverBudgetError, RejectedRequestError
from outputs.spending.metered import send_metered
from outputs.spending.questions import Purse
from outputs.spending.service import call_patiently, open_client

if TYPE_CHECKING:
    from openai import OpenAI

DEFAULT_MODEL = "text-embedding-3-large"
DIMENSIONS: Mapping[str, int] = {"text-embedding-3-large": 3_072, "text-embedding-3-small": 1_536}
"""Sizes of the vectors of known models."""

PURPOSE = "embeddings"
_TOKEN_BYTES = 8

MAX_FAILED_PACKS = 3
"""After so many requests in a row that failed for good, no further one is sent."""


@dataclass(frozen=True, slots=True)
class OpenAIBackend:
    """Embeds by OpenAI. Its models have no instruction for queries: they are embedded as documents are.

    Attributes:
        purse: What is needed to ask.
        model: The model.
    """

    purse: Purse
    model: str = DEFAULT_MODEL
    name: str = "openai"

    def estimate(self, texts: Sequence[str]) -> Estimate:
        """Bound what embedding texts may cost."""
        inputs = [make_input(text, sendable(text)) for text in sorted(set(texts)) if sendable(text)]
        new = [each for each in inputs if self._kept(each) is None]
        tokens = sum(each.tokens for each in new)
        usage = Usage(len(pack(new)), tokens, 0, self.purse.budget.price(self.model).of(tokens, 0))
        return Estimate(PURPOSE, self.model, len(new), len(inputs) - len(new), usage)

    def embed(self, texts: Sequence[str], role: Role) -> Mapping[str, Embedding]:
        """Embed texts that are not in the cache.

        Raises:
            SpendingError: If nothing more can be asked; what was answered is in the cache.
        """
        inputs = [make_input(text, sendable(text)) for text in texts]
        done = {each.text: self._embedding(each) for each in inputs}
        new = {each.sent: each for each in inputs if done[each.text].vector is None}
        if new:
            with open_client(self.purse.settings) as client:
                reasons = self._ask_all(client, list(new.values()))
            for each in inputs:
                if done[each.text].vector is None:
                    done[each.text] = self._embedding(each, reasons.get(each.sent))
        return done

    def _ask_all(self, client: "OpenAI", inputs: Sequence[Input]) -> dict[str, str]:
        """Send pack after pack into the cache; give the reasons of those that failed."""
        reasons: dict[str, str] = {}
        packs = pack(inputs)[::-1]
        failed_in_a_row = 0
        while packs:
            inputs = packs.pop()
            try:
                if failed_in_a_row >= MAX_FAILED_PACKS:
                    raise BadAnswerError(f"Not asked: {MAX_FAILED_PACKS} requests before it failed in a row.")
                call_patiently(partial(self._ask, client, inputs), self.purse.settings, self.purse.sleep)
                failed_in_a_row = 0
            except RejectedRequestError as error:
                # One bad text spoils its whole request, so halves are tried until it stands alone.
                if len(inputs) > 1:
                    middle = len(inputs) // 2
                    packs += [inputs[middle:], inputs[:middle]]
                else:
                    reasons[inputs[0].sent] = str(error)
            except (BadAnswerError, OverBudgetError) as error:
                failed_in_a_row += 1
                reasons.update({each.sent: str(error) for each in inputs})
        return reasons

    def _ask(self, client: "OpenAI", inputs: Sequence[Input]) -> None:
        """Send one request and keep its vectors."""
        response = send_metered(
            lambda: client.embeddings.create(model=self.model, input=[each.sent for each in inputs]),
            lambda done: (done.usage.total_tokens, 0) if done.usage else (0, 0),
            self.purse.budget,
            PURPOSE,
            self.model,
            (sum(each.tokens for each in inputs), 0),
        )
        by_index = {item.index: item.embedding for item in response.data or ()}
        if len(response.data or ()) != len(inputs) or by_index.keys() != set(range(len(inputs))):
            raise BadAnswerError(f"Of {len(inputs)} vectors {len(by_index)} came back.")
        dimensions = DIMENSIONS.get(self.model)
        vectors = [packed_unit(by_index[index], dimensions) for index in range(len(inputs))]
        if len(set(map(len, vectors))) > 1:
            raise BadAnswerError("Vectors of one answer differ in size.")
        charged = share_out(response.usage.total_tokens if response.usage else 0, inputs)
        for each, vector, tokens in zip(inputs, vectors, charged, strict=True):
            self.purse.cache.put(self._key(each), tokens.to_bytes(_TOKEN_BYTES, "little") + vector)

    def _key(self, each: Input) -> str:
        return answer_key(PURPOSE, self.model, {"dimensions": DIMENSIONS.get(self.model)}, each.sent)

    def _kept(self, each: Input) -> tuple[int, bytes] | None:
        """Look up the tokens that were charged for a text, and its vector."""
        kept = self.purse.cache.get(self._key(each))
        if kept is None or len(kept) <= _TOKEN_BYTES:
            return None
        vector = kept[_TOKEN_BYTES:]
        dimensions = DIMENSIONS.get(self.model)
        is_whole = dimensions is None or len(vector) == dimensions * FLOAT_BYTES
        return (int.from_bytes(kept[:_TOKEN_BYTES], "little"), vector) if is_whole else None

    def _embedding(self, each: Input, reason: str | None = None) -> Embedding:
        kept = self._kept(each)
        if kept is None:
            return Embedding(None, each.is_cut, reason or "It was not asked for.")
        return Embedding(kept[1], each.is_cut, tokens=kept[0])


def share_out(tokens: int, inputs: Sequence[Input]) -> list[int]:
    """Share the tokens of a request out among its texts, by their bounds; the shares add up.

    >>> share_out(10, [Input("a", "a", 1), Input("b", "b", 1), Input("c", "c", 1)])
    [3, 3, 4]
    """
    total = sum(each.tokens for each in inputs) or 1
    ends = [tokens * part // total for part in accumulate(each.tokens for each in inputs)]
    return [end - start for start, end in pairwise([0, *ends])]
