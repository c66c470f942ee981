"""What a planned archive consists of: ideas, recipes, runs and their trials."""

from dataclasses import dataclass, field
from datetime import datetime

from parsers.scopes import Scope

Point = tuple[int, float]
"""A validation checkpoint: step and loss."""


@dataclass(frozen=True, slots=True)
class Idea:
    """One idea write-up.

    Attributes:
        slug: File stem, or the backticked name of an entry of a numbered list.
        title: Heading of the write-up.
        mechanism: Short phrase that names what the idea changes.
        explanation: One sentence on why it should help.
        token: How run ids name the idea.
        is_token_declared: Whether the write-up states the token.
        list_number: Place in `ideas.md`, or 0 for an idea with a file of its own.
        created_at: When the agent wrote it down.
        dated_by: `writeup`, `journal` or empty: where the archive states that date.
        parent_slug: Idea that the write-up declares as its parent, or empty.
        rule_gate: Verdict of the rule gate in the archive's words, or empty.
        novelty_gate: Verdict of the novelty gate, or empty.
        rejection_class: `audit_noncompliant`, `existence_killed` or empty.
    """

    slug: str
    title: str
    mechanism: str
    explanation: str
    token: str
    is_token_declared: bool
    list_number: int
    created_at: datetime
    dated_by: str
    parent_slug: str = ""
    rule_gate: str = ""
    novelty_gate: str = ""
    rejection_class: str = ""

    @property
    def source_path(self) -> str:
        """Path of the write-up relative to the scratchpad."""
        return "ideas.md" if self.list_number else f"ideas/{self.slug}.md"


@dataclass(frozen=True, slots=True)
class Recipe:
    """What the members of one run family have in common.

    Attributes:
        stem: What their run ids begin with, without schedule, seed and replicate.
        family: Unique name of the family in its scope.
        variant_base: What the names of their variant files begin with.
        idea_slug: Idea that they test, or empty.
        id_link: `name` or `alias` when the run id names the idea, else empty.
        is_in_variant: Whether the variant's name carries the idea's slug.
        mechanism: Short phrase that names what the family changes.
        knobs: Hyperparameters, as name and value pairs of the source's constants.
        crossing: Step at which the recipe reaches 3.28 without noise.
        is_opaque: Whether neither run id nor variant tells what is changed.
    """

    stem: str
    family: str
    variant_base: str
    idea_slug: str
    id_link: str
    is_in_variant: bool
    mechanism: str
    knobs: tuple[tuple[str, str], ...]
    crossing: float
    is_opaque: bool = False


@dataclass(frozen=True, slots=True)
class Variant:
    """One file of `variants/`.

    Attributes:
        stem: File name without `.py`.
        recipe: Recipe whose source it holds.
        train_steps: Schedule that is written into it.
        stop_step: Last step that is written into it.
        seed: Seed that is written into it.
        is_edited: Whether the file was changed after its runs were launched.
    """

    stem: str
    recipe: Recipe
    train_steps: int
    stop_step: int
    seed: int
    is_edited: bool = False

    @property
    def path(self) -> str:
        """Path relative to the scratchpad."""
        return f"variants/{self.stem}.py"


@dataclass(frozen=True, slots=True)
class Evidence:
    """Which places of the archive tell something about a run.

    Attributes:
        ledger_variant: Form of the path in the ledger: `full`, `relative`, `bare`, `short` or empty.
        is_embedded: Whether a log holds the source.
        has_recompile: Whether a log names the variant in a recompile warning.
        stub: `own`, `shared` or empty.
        is_stub_stale: Whether the stub was rewritten for another variant afterwards.
        log_head: `iso`, `iso_offset`, `start_iso`, `utc`, `torch`, `torch_rank`, `torch_short` or empty.
        ledger_time: `iso`, `date` or empty.
        is_exported: Whether the self-contained export has the run.
        in_ledger: Whether the ledger has a row.
        journal: `idea` when an entry names run and idea together, `result` when it names the run, or empty.
    """

    ledger_variant: str = ""
    is_embedded: bool = False
    has_recompile: bool = False
    stub: str = ""
    is_stub_stale: bool = False
    log_head: str = ""
    ledger_time: str = ""
    is_exported: bool = False
    in_ledger: bool = True
    journal: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """One launch.

    Attributes:
        scope: Where it belongs.
        run_id: Its name.
        recipe: What it runs.
        variant: Stem of its variant file, or empty when it is gone.
        launched_at: When it was launched.
        job_id: Slurm's number.
        nominal_seed: Seed in its name, or None.
        printed_seed: Seed that the trainer printed, or None.
        train_steps: Schedule.
        stop_step: Step at which it was meant to end.
        trials: Checkpoints, trial by trial, as the trainer made them.
        status: What became of it.
        ledger_status: What the ledger says, in its own words; empty for nothing.
        evidence: Where the archive tells of it.
        log_files: Suffixes of its log files.
        quirks: Names of the log quirks that are planted in it.
        ms_per_step: Speed of its machine.
    """

    scope: Scope
    run_id: str
    recipe: Recipe
    variant: str
    launched_at: datetime
    job_id: int
    nominal_seed: int | None
    printed_seed: int | None
    train_steps: int
    stop_step: int
    trials: tuple[tuple[Point, ...], ...]
    status: str
    ledger_status: str
    evidence: Evidence
    log_files: tuple[str, ...]
    quirks: tuple[str, ...] = ()
    ms_per_step: float = 200.0

    @property
    def has_log(self) -> bool:
        """Whether any log is there, be it empty."""
        return bool(self.log_files)


@dataclass(frozen=True, slots=True)
class Reject:
    """A planted piece of input that no parser can accept."""

    kind: str
    path: str
    line: int | None
    byte_offset: int
    what: str


@dataclass(frozen=True, slots=True)
class ScopePlan:
    """Everything that one scratchpad will hold.

    Attributes:
        scope: Which scratchpad.
        ideas: In the order in which they were written.
        variants: In the order of their stems.
        runs: In the order in which they were launched.
    """

    scope: Scope
    ideas: tuple[Idea, ...]
    variants: tuple[Variant, ...]
    runs: tuple[Run, ...]
    idea_by_slug: dict[str, Idea] = field(default_factory=dict)
    variant_by_stem: dict[str, Variant] = field(default_factory=dict)
