"""What a run family with fixed names consists of."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Famous:
    """A family with fixed names.

    Attributes:
        stem: Name of the family.
        run_ids: Its members.
        variant: Stem of the one file they run.
        mechanism: Short phrase that names what it changes.
        steps: Schedule.
        stop: Last step.
        idea_slug: Idea that it tests, or empty.
        link: `name`, `alias` or empty.
        finals: Final losses, where they are known.
        from_start: Share of the scope's window that had passed at its launch.
    """

    stem: str
    run_ids: tuple[str, ...]
    variant: str
    mechanism: str
    steps: int
    stop: int
    idea_slug: str = ""
    link: str = ""
    finals: tuple[float, ...] = ()
    from_start: float = 0.3


def numbered(stem: str, mark: str, first: int, last: int) -> tuple[str, ...]:
    """List run ids that end in consecutive numbers.

    >>> numbered("v12-ts2999", "-r", 1, 2)
    ('v12-ts2999-r1', 'v12-ts2999-r2')
    """
    return tuple(f"{stem}{mark}{number}" for number in range(first, last + 1))


def baseline(variant: str, steps: int) -> Famous:
    """Make the Muon baseline, whose run ids are the same in six scopes."""
    ids = numbered("baseline-muon", "-s", 0, 2)
    return Famous("baseline-muon", ids, variant, "Muon baseline", steps, steps, from_start=0.005)
