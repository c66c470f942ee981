"""From which place of the archive, if any, a run's variant and idea can be known."""

import re
from collections import Counter
from collections.abc import Callable

from demo.model import Run, ScopePlan
from demo.paths import stated_variant

_TAIL = re.compile(r"-(?:main|preempt|repro|retry\d+|controlled|final|extraval|local|sig)$")
_MEMBER = re.compile(r"(?:[-_]seed\d+|-s\d+|-r\d+)$")
_PREFIX = re.compile(r"^(?:train_gpt_simple_|legal_)")


class Knowability:
    """Answers for the runs of one scope."""

    def __init__(self, plan: ScopePlan) -> None:
        """Index the scope's variant files by the names under which a reader might look for them.

        Args:
            plan: What the scope holds.
        """
        self._plan = plan
        self._by_name: dict[str, set[str]] = {}
        for variant in plan.variants:
            for name in {_fold(variant.stem), _fold(_MEMBER.sub("", variant.stem))}:
                self._by_name.setdefault(name, set()).add(variant.stem)
        self._told_families = {run.recipe.family for run in plan.runs if run.evidence.journal == "idea"}
        self._counters = Counter(
            part
            for variant in plan.variants
            if re.fullmatch(r"v\d+", part := variant.stem.removeprefix("train_gpt_simple_").split("_")[0])
        )

    def variant(self, run: Run) -> str:
        """Name the first place that tells the run's variant.

        Args:
            run: Which run.

        Returns:
            `ledger`, `embedded`, `recompile`, `stub`, `name` or empty.
        """
        tells: tuple[tuple[str, Callable[[Run], bool]], ...] = (
            ("ledger", self._does_ledger_tell),
            ("embedded", lambda one: one.evidence.is_embedded),
            ("recompile", lambda one: one.evidence.has_recompile),
            ("stub", lambda one: bool(one.evidence.stub) and not one.evidence.is_stub_stale),
            ("name", self._does_name_tell),
        )
        return next((place for place, does_tell in tells if does_tell(run)), "")

    def idea(self, run: Run) -> str:
        """Name the first place that tells the run's idea.

        Args:
            run: Which run.

        Returns:
            `name`, `alias`, `journal`, `family` or empty.
        """
        recipe = run.recipe
        if not recipe.idea_slug:
            return ""
        idea = self._plan.idea_by_slug[recipe.idea_slug]
        if recipe.id_link == "name" or (recipe.is_in_variant and self.variant(run)):
            return "name"
        if recipe.id_link == "alias" and (idea.is_token_declared or _is_consistent(idea.slug, idea.token)):
            return "alias"
        if run.evidence.journal == "idea":
            return "journal"
        return "family" if recipe.family in self._told_families else ""

    def _does_ledger_tell(self, run: Run) -> bool:
        form = run.evidence.ledger_variant
        return bool(form) and (
            form != "short" or stated_variant(run, form).endswith(".py") or self._is_only(run)
        )

    def _is_only(self, run: Run) -> bool:
        return self._counters[stated_variant(run, "short")] == 1

    def _does_name_tell(self, run: Run) -> bool:
        bare = run.run_id
        while _TAIL.search(bare):
            bare = _TAIL.sub("", bare)
        for name in (_fold(bare), _fold(_MEMBER.sub("", bare))):
            if stems := self._by_name.get(name):
                return stems == {run.variant}
        return False


def _fold(name: str) -> str:
    return _PREFIX.sub("", name.replace("-", "_").replace(".", "_"))


def _is_consistent(slug: str, token: str) -> bool:
    """Say whether a token is a word of the slug, or its words or their first letters joined."""
    words = re.split(r"[-_]", slug)
    joined = "".join(words)
    short = joined.replace("optimizer", "opt")
    return token in (*words, joined, short, "".join(word[0] for word in words))
