"""The ideas of a scope by the exact names that they have: slug, code, declared alias."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from linkers.names import fold
from linkers.write_ups import WriteUp
from parsers.audits import Audit
from parsers.journal import JournalEntry
from parsers.rule_checks import RuleCheck
from parsers.scopes import Scope

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)+|[A-Za-z]{3,4}\d{3}(?![A-Za-z0-9])")


class IdeaIndex:
    """Finds the idea that a name of a scope stands for. A name that two ideas claim stands for none."""

    def __init__(self, write_ups: Iterable[WriteUp]) -> None:
        """Index the write-ups; slugs outweigh codes, and these aliases."""
        claims: tuple[dict[tuple[Scope, str], set[str]], ...] = tuple(defaultdict(set) for _ in range(3))
        for write_up in write_ups:
            idea = write_up.idea
            names = ((idea.slug,), (idea.code or "",), tuple(alias.text for alias in idea.aliases))
            for level, texts in zip(claims, names, strict=True):
                for text in texts:
                    level[write_up.scope, fold(text)].add(write_up.idea_id)
        self._ideas: dict[tuple[Scope, str], str | None] = {}
        for level in claims:
            for key, idea_ids in level.items():
                if key[1]:
                    self._ideas.setdefault(key, min(idea_ids) if len(idea_ids) == 1 else None)

    def find(self, scope: Scope, name: str) -> str | None:
        """The id of the idea that bears exactly this name, case and separators aside."""
        return self._ideas.get((scope, fold(name.removesuffix(".md"))))

    def checked_in(self, scope: Scope, check: Audit | RuleCheck) -> str | None:
        """The id of the idea that an audit or rule check is about."""
        return self.find(scope, check.idea_slug if isinstance(check, Audit) else check.idea_name)

    def named_in(self, scope: Scope, entry: JournalEntry) -> Iterator[str]:
        """The ids of the ideas that a journal entry names: in backticks, or by a slug of several words."""
        names = (*entry.quoted_names, *entry.expanded_names, *_NAME.findall(entry.text))
        found = {self.find(scope, name.rsplit("/", 1)[-1]) for name in dict.fromkeys(names)}
        return iter(sorted(idea_id for idea_id in found if idea_id is not None))
