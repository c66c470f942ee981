"""Write-ups: sections in every spelling, gates, names, references and the write-up's own date."""

import pytest

from parsers.idea_names import Alias, AliasOrigin, LocalReference, Relation
from parsers.ideas import Idea, parse_idea
from parsers.quarantine import Quarantined, Reason
from parsers.verdicts import Verdict


def idea(text: str, path: str = "novelty/codex/scratchpad/ideas/polar_muon.md") -> Idea:
    result = parse_idea(text.encode(), path)
    assert isinstance(result, Idea)
    return result


FULL = """# ABP001: Adam Biproduct Polar Muon

Date: 2026-05-03

## Proposal

Take the polar factor. Parent: BIGE001.

### Update rule

More.

## Rule Gate

Nothing but the optimizer changes. **PASS**

## Novelty Gate

Closest local priors: ADV001 (adam variance), BAM001.
Verdict: PASS CONDITIONAL

## References

- Muon, arXiv:2502.16982 (2025-02-24)
"""


def test_a_full_write_up() -> None:
    found = idea(FULL, "ideas/abp001_adam_biproduct_polar_muon.md")
    assert (found.slug, found.code) == ("abp001_adam_biproduct_polar_muon", "abp001")
    assert found.title == "ABP001: Adam Biproduct Polar Muon"
    assert found.proposal_text.startswith("Take the polar factor.")
    assert found.proposal_text.endswith("More.")
    assert found.rule_gate_verdict is Verdict.PASSED
    assert found.novelty_gate_verdict is Verdict.PASSED_CONDITIONALLY
    assert found.prior_art_cited == "- Muon, arXiv:2502.16982 (2025-02-24)"
    assert found.arxiv_ids == ("2502.16982",)
    assert found.local_references == (
        LocalReference("bige001", Relation.PARENT, 7),
        LocalReference("adv001", Relation.REFERENCE, 19),
        LocalReference("bam001", Relation.REFERENCE, 19),
    )
    assert found.first_date is not None
    assert found.first_date.at.date().isoformat() == "2026-05-03"
    assert (found.line_start, found.line_end) == (1, 24)


@pytest.mark.parametrize(
    "heading",
    [
        "## Proposal",
        "## PROPOSAL:",
        "## 3. The proposal",
        "### iv) proposal",
        "**Proposal**",
        "**Proposal:**",
        "Proposal\n--------",
        "## Formal Proposal",
        "## Proposed change (draft)",
    ],
)
def test_the_proposal_is_found_under_every_spelling(heading: str) -> None:
    found = idea(f"# T\n\n## Background\n\nold\n\n{heading}\n\nDo it.\n\n## Rule gate\n\nPASS\n")
    assert found.proposal_text.startswith("Do it.")


def test_a_label_within_a_line_opens_a_section() -> None:
    found = idea(
        "# T\n\n**Proposal:** Do it.\nAll of it.\n\n**Novelty:** nothing like it.\n\nRule gate: FAIL\n"
    )
    assert found.proposal_text == "Do it.\nAll of it."
    assert found.novelty_rationale == "nothing like it."
    assert found.rule_gate_verdict is Verdict.FAILED


def test_a_proposal_in_a_fence_is_no_section() -> None:
    found = idea("# T\n\n```md\n## Proposal\nfake\n```\n\n## Mechanism\n\nreal\n")
    assert found.proposal_text == "real"


def test_without_a_proposal_the_ladder_and_then_the_body_serve() -> None:
    assert idea("# T\n\n## Intuition\n\ni\n\n## Mathematics\n\nm\n").proposal_text == "m"
    assert idea("# T\n\nloose prose\n").proposal_text == "loose prose"
    assert idea("Title\n=====\n\nloose prose\n").proposal_text == "loose prose"
    assert idea("# only a title\n").proposal_text == "only a title"


def test_the_title_falls_back_to_the_slug_in_words() -> None:
    assert idea("## Proposal\n\nx\n").title == "polar muon"
    assert idea("# Proposal\n\nx\n\n# Real title\n").title == "Real title"
    assert idea("---\ntitle: From the front\n---\nx\n").title == "From the front"


@pytest.mark.parametrize(
    ("text", "rule", "novelty"),
    [
        ("## Rule gate\n\nThe gate asks for PASS or FAIL.\n", None, None),
        ("## Rule gate: PASS\n\nfine\n", Verdict.PASSED, None),
        ("## Rule gate\n\nNot **compliant**, reads data.\n", Verdict.NON_COMPLIANT, None),
        ("## 1. Cross-check existing ideas\n\nnot-novel\n", None, Verdict.NOT_NOVEL),
        ("## Novelty\n\nnovel-enough\n", None, Verdict.NOVEL_ENOUGH),
        ("## Novelty\n\nIt FAILS elsewhere.\n", None, None),
        ("| Rule gate | PASS |\n| Novelty gate | KILL |\n", Verdict.PASSED, Verdict.KILLED),
        ("## Rule Gate\n\nPASS\n\n## Novelty Gate\n\nFAIL\n", Verdict.PASSED, Verdict.FAILED),
        ("---\nrule_gate: COMPLIANT\n---\nx\n", Verdict.COMPLIANT, None),
    ],
)
def test_the_two_gates(text: str, rule: Verdict | None, novelty: Verdict | None) -> None:
    found = idea(text)
    assert (found.rule_gate_verdict, found.novelty_gate_verdict) == (rule, novelty)


def test_killed_and_invalidated_are_read_where_stated_only() -> None:
    assert idea("# T\n\nKilled by existence check: Lion.\n").is_killed_by_existence_check
    assert not idea(
        "# T\n\nWould be killed by existence check if it were Lion.\n"
    ).is_killed_by_existence_check
    assert idea("# T\n\nINVALIDATED 2026-05-04: read the data.\n").is_invalidated
    assert idea("# T\n\nThe runs were later invalidated.\n").is_invalidated
    assert not idea("# T\n\nThe result is invalidated if the seed changes. Not invalidated.\n").is_invalidated


def test_declared_aliases_keep_the_place_of_their_declaration() -> None:
    body = "# Cross Block (CBO001)\n\n**Family slug:** `agmuon`\n\nalso known as `xblock`.\n"
    found = idea("---\naliases: [acn]\n---\n" + body, "ideas/cross-block-ortho.md")
    assert found.code == "cbo001"
    assert found.aliases == (
        Alias("acn", AliasOrigin.FRONT_MATTER, 2),
        Alias("CBO001", AliasOrigin.TITLE, 4),
        Alias("agmuon", AliasOrigin.LABEL, 6),
        Alias("xblock", AliasOrigin.INLINE, 8),
    )


def test_an_abbreviation_in_the_title_is_declared_and_others_are_not() -> None:
    assert [a.text for a in idea("# Spectral Momentum (SPM)\n\nuses EMA (draft)\n").aliases] == ["SPM"]
    assert idea("# Spectral Momentum (draft)\n").aliases == ()


def test_a_slug_in_code_is_no_alias() -> None:
    assert idea("# T\n\n```yaml\nslug: fake\n```\n").aliases == ()


def test_references_are_parents_only_where_the_text_says_so() -> None:
    text = (
        "# T\n\nBuilds on `spectral-momentum`. Unlike `adam-rms`, it is parent-free.\n"
        "Closest local priors: `cross-block`, ADV001.\nParent: muon-polar\n`some_variable` is set.\n"
    )
    found = {(r.name, r.relation) for r in idea(text).local_references}
    assert found == {
        ("spectral-momentum", Relation.PARENT),
        ("adam-rms", Relation.REFERENCE),
        ("cross-block", Relation.REFERENCE),
        ("adv001", Relation.REFERENCE),
        ("muon-polar", Relation.PARENT),
    }


def test_hyperparameters_are_no_codes_and_the_own_code_is_no_reference() -> None:
    found = idea("# ABP001\n\nema099 beta095 muon026 ABP001\n", "ideas/abp001_x.md")
    assert found.local_references == ()


def test_dates_of_papers_and_of_other_things_are_not_its_own() -> None:
    found = idea(
        "# T\n\nthe run of 2026-05-01\n\n## Prior art\n\n2024-03-05 Lion\n\n## 2026-05-04 note\n\nx\n"
    )
    assert [(d.line, d.is_own) for d in found.dates] == [(3, False), (7, False), (9, True)]
    assert found.first_date is not None
    assert found.first_date.at.date().isoformat() == "2026-05-04"


def test_hostile_text_is_kept_as_text() -> None:
    found = idea("# T\n\n## Proposal\n\n<script>alert(1)</script>\x00 \U0001f600 " + "x" * 100_000 + "\n")
    assert found.proposal_text.startswith("<script>alert(1)</script>\ufffd \U0001f600")
    assert len(found.proposal_text) > 100_000


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", Reason.EMPTY_FILE),
        (b"\xef\xbb\xbf \r\n\t", Reason.EMPTY_FILE),
        (bytes(range(256)) * 40, Reason.NOT_TEXT),
        (b"a" * 2_000_001, Reason.FILE_TOO_LARGE),
        (b"a\n" * 30_001, Reason.FILE_TOO_LARGE),
    ],
)
def test_what_is_no_write_up_is_set_aside(data: bytes, reason: Reason) -> None:
    result = parse_idea(data, "ideas/x.md")
    assert isinstance(result, Quarantined)
    assert result.reason is reason
