"""The eight scopes of the experiment and the ids that are unique across them."""

from dataclasses import dataclass

AGENTS = ("claude-code", "codex")
"""The two coding agents, by the name of their folder."""

WAVES = ("v1", "novelty", "v2", "v3")
"""The four waves in the order in which they were run."""


@dataclass(frozen=True, slots=True, order=True)
class Scope:
    """One agent in one wave: the unit inside which run ids and slugs are unique.

    Attributes:
        agent: One of `AGENTS`.
        wave: One of `WAVES`.
    """

    agent: str
    wave: str

    def qualify(self, name: str) -> str:
        """Make a name of this scope unique across the archive.

        >>> Scope("codex", "v2").qualify("baseline-muon-s0")
        'codex--v2--baseline-muon-s0'
        """
        return f"{self.agent}--{self.wave}--{name}"

    @property
    def folder(self) -> str:
        """Where the scope lies in the archive, as a POSIX path relative to its root."""
        return f"{self.wave}/{self.agent}/scratchpad"

    def __str__(self) -> str:
        """Name the scope the way people say it: `v2/codex`."""
        return f"{self.wave}/{self.agent}"


SCOPES = tuple(Scope(agent, wave) for wave in WAVES for agent in AGENTS)
"""All scopes, earliest wave first."""
