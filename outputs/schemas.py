"""Every column and every table of the dataset, declared once; all else is derived from this page.

What belongs here: names, types, nullability, units, meanings, keys. What does not: how a value is computed
(see `linkers`) or written (see `outputs.dataset`).
"""

from dataclasses import dataclass
from enum import Enum

import polars as pl
import pyarrow as pa

from parsers.kinds import FileKind
from parsers.quarantine import Reason
from parsers.scopes import AGENTS, WAVES


class Kind(Enum):
    """A logical type, with its Arrow and Polars form."""

    TEXT = "text"
    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    TIME = "time"
    TEXTS = "texts"
    INTS = "ints"
    VECTOR = "vector"

    @property
    def arrow(self) -> pa.DataType:
        """The Arrow type that is written to Parquet."""
        return _ARROW[self]

    @property
    def polars(self) -> pl.DataType:
        """The Polars type of frames that hold it."""
        return _POLARS[self]


_ARROW: dict[Kind, pa.DataType] = {
    Kind.TEXT: pa.string(),
    Kind.INT: pa.int64(),
    Kind.FLOAT: pa.float64(),
    Kind.BOOL: pa.bool_(),
    Kind.TIME: pa.timestamp("us", tz="UTC"),
    Kind.TEXTS: pa.list_(pa.string()),
    Kind.INTS: pa.list_(pa.int64()),
    Kind.VECTOR: pa.list_(pa.float32()),
}
_POLARS: dict[Kind, pl.DataType] = {
    Kind.TEXT: pl.String(),
    Kind.INT: pl.Int64(),
    Kind.FLOAT: pl.Float64(),
    Kind.BOOL: pl.Boolean(),
    Kind.TIME: pl.Datetime("us", "UTC"),
    Kind.TEXTS: pl.List(pl.String()),
    Kind.INTS: pl.List(pl.Int64()),
    Kind.VECTOR: pl.List(pl.Float32()),
}


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        name: Its name; the same name means the same thing in every table.
        kind: Its logical type.
        description: One sentence.
        unit: Unit of a quantity, or None.
        is_nullable: Whether a value may be missing.
        allowed: The closed list of its values, or None.
        bounds: Its lowest and highest value where they differ from what the unit says; see `limits`.
    """

    name: str
    kind: Kind
    description: str
    unit: str | None = None
    is_nullable: bool = False
    allowed: tuple[str, ...] | None = None
    bounds: tuple[float | None, float | None] | None = None

    @property
    def limits(self) -> tuple[float | None, float | None]:
        """Lowest and highest value: what has a unit is never negative, unless `bounds` says otherwise."""
        if self.bounds is not None:
            return self.bounds
        is_quantity = self.unit is not None and self.kind in (Kind.INT, Kind.FLOAT)
        return (0, None) if is_quantity else (None, None)

    @property
    def is_finite(self) -> bool:
        """Whether it holds no NaN and no infinity: a loss may diverge, no other number may."""
        return self.unit != "nats"


@dataclass(frozen=True, slots=True)
class Table:
    """One table.

    Attributes:
        name: Its name and the stem of its file.
        one_row_per: What a row is.
        description: One sentence.
        columns: The columns in order.
        primary_key: Columns that together are unique and by which the rows are sorted.
        foreign_keys: Column, and the table and column that it, or each id of its list, refers to.
    """

    name: str
    one_row_per: str
    description: str
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...]
    foreign_keys: tuple[tuple[str, str, str], ...] = ()

    @property
    def polars_schema(self) -> pl.Schema:
        """The Polars schema of the table."""
        return pl.Schema({column.name: column.kind.polars for column in self.columns})

    @property
    def arrow_schema(self) -> pa.Schema:
        """The Arrow schema, with each column's description and unit in its metadata."""
        fields = []
        for column in self.columns:
            metadata = {"description": column.description}
            if column.unit:
                metadata["unit"] = column.unit
            fields.append(pa.field(column.name, column.kind.arrow, column.is_nullable, metadata))
        return pa.schema(fields, metadata={"table": self.name, "description": self.description})

    def empty(self) -> pl.DataFrame:
        """Make a frame without rows that has the table's types."""
        return pl.DataFrame(schema=self.polars_schema)


def _text(name: str, description: str, allowed: tuple[str, ...] | None = None) -> Column:
    return Column(name, Kind.TEXT, description, allowed=allowed)


def _maybe(
    kind: Kind,
    name: str,
    description: str,
    unit: str | None = None,
    bounds: tuple[float | None, float | None] | None = None,
) -> Column:
    return Column(name, kind, description, unit, is_nullable=True, bounds=bounds)


FROM_ZERO = (0, None)
FROM_ONE = (1, None)
A_SHARE = (0, 1)
ANY_SIGN = (None, None)


STATUSES = ("completed", "preempted", "failed", "canceled", "timeout", "incomplete")
LAUNCH_SOURCES = (
    "log_header",
    "log_torch",
    "ledger",
    "export",
    "log_header_date",
    "ledger_date",
    "export_date",
)
VARIANT_TIERS = ("ledger", "export", "embedded", "recompile", "stub", "name_stem")
IDEA_TIERS = ("prefix", "abbreviation", "thread", "llm", "dedup", "override")
SEED_SOURCES = ("log", "ledger", "run_id", "run_id_not_forwarded")

EXPERIMENT_ID = _text("experiment_id", "`{agent}--{wave}--{run_id}`, unique across scopes.")
RUN_ID = _text("run_id", "The run's id inside its scope, as the agent wrote it.")
AGENT = _text("agent", "The coding agent.", AGENTS)
WAVE = _text("wave", "The wave of the experiment.", WAVES)
STEP = Column("step", Kind.INT, "Optimizer steps taken.", "steps")
SCHEDULED_STEPS = _maybe(Kind.INT, "scheduled_steps", "Steps the schedule was laid out for.", "steps")
TRAIN_TIME_S = _maybe(Kind.FLOAT, "train_time_s", "Training time at this point.", "s")
STEP_AVG_MS = _maybe(Kind.FLOAT, "step_avg_ms", "Average time of a step so far.", "ms")

PROPOSAL_TYPES = ("formal_idea", "baseline", "variant_only")
VERDICTS = ("improved", "neutral", "regressed", "inconclusive", "failed_to_run")
REJECTION_CLASSES = ("none", "existence_killed", "audit_noncompliant", "failed", "family_ruled_out")
DESCRIPTION_SOURCES = ("idea_writeup", "variant_docstring", "llm_generated", "run_id_decoded")
FIRST_SEEN_AT = _maybe(
    Kind.TIME,
    "first_seen_at",
    "From when on it was there; the end of the day where only that is known.",
    "UTC",
)
IS_FIRST_SEEN_DATE_ONLY = Column(
    "is_first_seen_date_only", Kind.BOOL, "Whether only the day of `first_seen_at` is known."
)
ON_FRONTIER_WALK = Column(
    "on_frontier_walk",
    Kind.BOOL,
    "Whether it, or a run of it, beat its scope's frontier by 100 steps or more.",
)
VARIANT_PATH_OF_RUN = _maybe(
    Kind.TEXT, "variant_path", "The variant file that it executed, relative to the archive's root."
)

RUNS = Table(
    name="runs",
    one_row_per="launch",
    description="Every training run, as ledger, logs and export tell of it.",
    columns=(
        EXPERIMENT_ID,
        RUN_ID,
        AGENT,
        WAVE,
        _maybe(
            Kind.TIME, "launched_at", "When it was launched; midnight when only the date is known.", "UTC"
        ),
        Column(
            "launched_at_source",
            Kind.TEXT,
            "Where the launch time is stated; a name that ends in `_date` gives no time of day.",
            is_nullable=True,
            allowed=LAUNCH_SOURCES,
        ),
        _maybe(Kind.TEXT, "log_path", "The fullest of its logs, relative to the archive's root."),
        Column("log_paths", Kind.TEXTS, "All of its logs; they count once."),
        _maybe(Kind.TEXT, "ledger_variant", "The variant as the ledger states it; may be a mere `v15`."),
        VARIANT_PATH_OF_RUN,
        Column(
            "variant_tier",
            Kind.TEXT,
            "The tier of the cascade whose answer is published.",
            is_nullable=True,
            allowed=VARIANT_TIERS,
        ),
        Column("is_variant_conflict", Kind.BOOL, "Whether another tier names another file."),
        _maybe(
            Kind.TEXT,
            "recovered_source_sha256",
            "Hash of the text that ran, where its log or the export holds it; see `variant_sources`.",
        ),
        _maybe(Kind.BOOL, "is_variant_drifted", "Whether that text differs from the file as it is today."),
        _maybe(Kind.TEXT, "idea_id", "The idea that it tested; null where the evidence does not decide."),
        Column(
            "idea_tier",
            Kind.TEXT,
            "The first tier whose own evidence would have linked it to that idea.",
            is_nullable=True,
            allowed=IDEA_TIERS,
        ),
        _maybe(Kind.FLOAT, "idea_link_score", "How certain that link is, 0 to 1.", bounds=A_SHARE),
        Column("is_idea_conflict", Kind.BOOL, "Whether some evidence contradicts the link or its absence."),
        Column("idea_conflicts", Kind.TEXTS, "One sentence a contradiction."),
        _maybe(
            Kind.FLOAT, "final_val_loss", "Validation loss at the last checkpoint of the first trial.", "nats"
        ),
        _maybe(Kind.FLOAT, "min_val_loss", "Lowest finite validation loss of the first trial.", "nats"),
        _maybe(
            Kind.INT, "step_to_3_28", "First step of the first trial with a loss of at most 3.28.", "steps"
        ),
        _maybe(Kind.INT, "final_step", "Last step of the first trial with a checkpoint.", "steps"),
        SCHEDULED_STEPS,
        TRAIN_TIME_S,
        STEP_AVG_MS,
        _maybe(Kind.INT, "num_val_points", "Checkpoints of the first trial.", "checkpoints"),
        Column("hit_target", Kind.BOOL, "Whether the first trial reached 3.28."),
        _text("status", "How the run ended; its log outweighs the ledger's word.", STATUSES),
        _maybe(Kind.INT, "seed", "Its seed.", bounds=FROM_ZERO),
        Column(
            "seed_source",
            Kind.TEXT,
            "Where the seed is known from; a `run_id_not_forwarded` one never reached the trainer.",
            is_nullable=True,
            allowed=SEED_SOURCES,
        ),
        Column("val_trajectory_count", Kind.INT, "Trials, each with a trajectory of its own.", "trials"),
        _maybe(Kind.TEXT, "purpose", "Why it was launched, in the ledger's word."),
        _maybe(Kind.BOOL, "is_stat_verify", "Whether the ledger flags it as statistical verification."),
        _maybe(Kind.TEXT, "slurm_job_id", "Its job id, as text."),
        _maybe(Kind.TEXT, "note", "The agent's remark in the ledger."),
        _maybe(Kind.FLOAT, "ledger_final_val_loss", "Last loss as the ledger states it.", "nats"),
        _maybe(Kind.FLOAT, "ledger_min_val_loss", "Lowest loss as the ledger states it.", "nats"),
        _maybe(Kind.INT, "ledger_step_to_3_28", "Crossing as the ledger states it.", "steps"),
        _maybe(Kind.INT, "ledger_final_step", "Last step as the ledger states it.", "steps"),
        Column(
            "ledger_status",
            Kind.TEXT,
            "How the run ended, as the ledger states it.",
            is_nullable=True,
            allowed=STATUSES,
        ),
        Column("ledger_lines", Kind.INTS, "Lines of the ledger that speak of it."),
        Column("export_ids", Kind.TEXTS, "Its ids in the self-contained export."),
        Column("conflicts", Kind.TEXTS, "Where ledger and log disagree, both values named."),
        _maybe(
            Kind.TEXT,
            "same_log_as",
            "Experiment whose log this ledger row names by its uuid: the same launch under another id.",
        ),
    ),
    primary_key=("experiment_id",),
    foreign_keys=(
        ("idea_id", "ideas", "idea_id"),
        ("recovered_source_sha256", "variant_sources", "sha256"),
        ("same_log_as", "runs", "experiment_id"),
    ),
)

IDEAS = Table(
    name="ideas",
    one_row_per="write-up",
    description="Every formal idea write-up.",
    columns=(
        _text("idea_id", "`{agent}--{wave}--{slug}`, unique across scopes."),
        _text("slug", "The write-up's name inside its scope."),
        AGENT,
        WAVE,
        _text("source_path", "Where it stands, relative to the archive's root."),
        _text("title", "Its title."),
        _text("proposal_text", "What it proposes."),
        _maybe(Kind.TEXT, "novelty_rationale", "Why its author holds it to be new."),
        _maybe(Kind.TEXT, "prior_art_cited", "Prior work it names."),
        _maybe(Kind.TEXT, "rule_gate_verdict", "Verdict of the rule gate."),
        _maybe(Kind.TEXT, "novelty_gate_verdict", "Verdict of the novelty gate."),
        Column("aliases", Kind.TEXTS, "Other names that the write-up declares."),
        Column("arxiv_ids", Kind.TEXTS, "Papers it cites by arXiv id."),
        Column("local_references", Kind.TEXTS, "Ideas of the archive that it names."),
        FIRST_SEEN_AT,
        Column(
            "first_seen_source",
            Kind.TEXT,
            "Where the earliest evidence of it stands.",
            is_nullable=True,
            allowed=("write_up", "journal", "audit", "rule_check", "run"),
        ),
        IS_FIRST_SEEN_DATE_ONLY,
        _maybe(
            Kind.INT, "position", "1-based place in the order in which its scope saw ideas.", bounds=FROM_ONE
        ),
        _maybe(Kind.TEXT, "primary_variant_path", "The variant that most of its runs executed."),
        Column("all_variant_paths", Kind.TEXTS, "Every variant that its runs executed, sorted."),
        Column("num_runs", Kind.INT, "Runs that tested it.", "runs"),
        _maybe(Kind.TEXT, "best_experiment_id", "The best of these runs."),
        _maybe(Kind.INT, "best_step_to_3_28", "Step at which the best one reached 3.28.", "steps"),
        _maybe(Kind.FLOAT, "best_final_val_loss", "Last loss of the best one.", "nats"),
        Column(
            "verdict",
            Kind.TEXT,
            "Verdict of its best run by the rule for runs; null where none tested it.",
            is_nullable=True,
            allowed=VERDICTS,
        ),
        _maybe(Kind.TEXT, "parent_idea_id", "The first parent that its write-up declares."),
        Column("parent_idea_ids", Kind.TEXTS, "Every parent that its write-up declares, in its order."),
        Column("inspired_by_ids", Kind.TEXTS, "Other ideas whose recipes its own build on, sorted."),
        _text("rejection_class", "Why it was rejected, by the earliest dated reason.", REJECTION_CLASSES),
        _maybe(Kind.TEXT, "rejection_evidence_text", "Every reason with its evidence, that one first."),
        _maybe(Kind.TIME, "rejected_at", "From when on it was rejected; null where nothing dates it.", "UTC"),
        ON_FRONTIER_WALK,
    ),
    primary_key=("idea_id",),
    foreign_keys=(
        ("best_experiment_id", "experiments", "experiment_id"),
        ("parent_idea_id", "ideas", "idea_id"),
        ("parent_idea_ids", "ideas", "idea_id"),
        ("inspired_by_ids", "ideas", "idea_id"),
    ),
)

VAL_TRAJECTORIES = Table(
    name="val_trajectories",
    one_row_per="checkpoint",
    description="Every validation checkpoint of every trial.",
    columns=(
        EXPERIMENT_ID,
        RUN_ID,
        Column("trial", Kind.INT, "0-based number of the trial in the run's log.", bounds=FROM_ZERO),
        STEP,
        SCHEDULED_STEPS,
        Column(
            "val_loss", Kind.FLOAT, "Validation loss of the trained weights; may be NaN or infinite.", "nats"
        ),
        _maybe(Kind.FLOAT, "val_ema_loss", "Loss of an exponential moving average of the weights.", "nats"),
        _maybe(Kind.FLOAT, "val_avg_loss", "Loss of another average of the weights.", "nats"),
        TRAIN_TIME_S,
        STEP_AVG_MS,
    ),
    primary_key=("experiment_id", "trial", "step"),
    foreign_keys=(("experiment_id", "runs", "experiment_id"),),
)

VARIANT_LINKS = Table(
    name="variant_links",
    one_row_per="answer of a tier",
    description="What each tier of the variant cascade says of each run.",
    columns=(
        EXPERIMENT_ID,
        _text("tier", "The tier that answers.", VARIANT_TIERS),
        _maybe(Kind.TEXT, "variant_path", "The file it names; null where it knows the text alone."),
        _maybe(Kind.TEXT, "source_sha256", "Hash of the text that ran, where the tier holds it."),
        _maybe(Kind.BOOL, "is_drifted", "Whether that text differs from the file as it is today."),
        Column("score", Kind.FLOAT, "How sure the tier is, 0 to 1.", bounds=A_SHARE),
        _text("evidence", "What was seen and where, in a sentence."),
        _maybe(Kind.TEXT, "runner_up_variant_stem", "The second best file."),
        _maybe(Kind.FLOAT, "margin", "How far the second best is behind.", bounds=A_SHARE),
        Column("is_chosen", Kind.BOOL, "Whether this answer is the published one."),
        Column("is_conflict", Kind.BOOL, "Whether it names another file than the published one."),
    ),
    primary_key=("experiment_id", "tier"),
    foreign_keys=(
        ("experiment_id", "runs", "experiment_id"),
        ("source_sha256", "variant_sources", "sha256"),
    ),
)

VARIANT_SOURCES = Table(
    name="variant_sources",
    one_row_per="distinct source",
    description="Every text that a run is known to have executed, once.",
    columns=(
        _text("sha256", "Hash of the normalised text, keys removed."),
        _text(
            "source_text",
            "The text: line ends and trailing blanks normalised, wrapper lines cut, keys removed.",
        ),
        Column("origins", Kind.TEXTS, "Logs and export rows that hold it."),
        Column("experiment_ids", Kind.TEXTS, "Runs that executed it."),
        Column("is_drifted", Kind.BOOL, "Whether no variant file of their scopes has this text today."),
    ),
    primary_key=("sha256",),
    foreign_keys=(("experiment_ids", "runs", "experiment_id"),),
)

PROPOSALS = Table(
    name="proposals",
    one_row_per="variant file",
    description="Every variant file, with the runs that executed it and what came of them.",
    columns=(
        _text("proposal_id", "`{agent}--{wave}--{variant_stem}`, unique across scopes."),
        Column("variant_path", Kind.TEXT, "Path relative to the archive's root.", is_nullable=True),
        _text("variant_stem", "File name without `.py`."),
        AGENT,
        WAVE,
        _text("sha256", "Hash of the file's bytes, keys included."),
        _text("source_sha256", "Hash of its normalised text."),
        Column("file_size_bytes", Kind.INT, "Size of the file.", "bytes"),
        _maybe(Kind.TEXT, "header_docstring", "The docstring that it starts with."),
        _text("proposal_type", "Whether a formal idea stands behind it.", PROPOSAL_TYPES),
        _maybe(Kind.TEXT, "parent_idea_id", "The idea that most of its runs tested."),
        Column("run_ids", Kind.TEXTS, "Runs that executed it, by their id inside the scope."),
        Column("num_runs", Kind.INT, "Number of those runs.", "runs"),
        _maybe(
            Kind.TIME,
            "first_seen_at",
            "Launch of the first of them; a bare date counts as the end of its day.",
            "UTC",
        ),
        _maybe(Kind.TEXT, "best_experiment_id", "The run that reached 3.28 first, else the lowest loss."),
        _maybe(Kind.INT, "best_step_to_3_28", "Its first step with a loss of at most 3.28.", "steps"),
        _maybe(Kind.FLOAT, "best_final_val_loss", "Its loss at the last checkpoint.", "nats"),
        Column(
            "verdict",
            Kind.TEXT,
            "The verdict of that run; null for a file that no run executed.",
            is_nullable=True,
            allowed=VERDICTS,
        ),
    ),
    primary_key=("proposal_id",),
    foreign_keys=(
        ("parent_idea_id", "ideas", "idea_id"),
        ("best_experiment_id", "experiments", "experiment_id"),
    ),
)

RUN_IDEA_LINKS = Table(
    name="run_idea_links",
    one_row_per="candidate link",
    description="Every idea that a tier proposes for a run, and all that speaks against one.",
    columns=(
        EXPERIMENT_ID,
        Column("rank", Kind.INT, "1 for the strongest candidate of the run.", bounds=FROM_ONE),
        _maybe(Kind.TEXT, "idea_id", "The idea; null where the evidence is that there is none."),
        _text("tier", "The tier that proposes it.", IDEA_TIERS),
        Column("score", Kind.FLOAT, "How much this evidence proves on its own, 0 to 1.", bounds=A_SHARE),
        _maybe(
            Kind.FLOAT,
            "idea_score",
            "What all evidence together gives the idea for this run, 0 to 1.",
            bounds=A_SHARE,
        ),
        _text("evidence", "What was seen and where, in a sentence."),
        Column("is_against", Kind.BOOL, "Whether the evidence speaks against a link."),
        _maybe(Kind.TEXT, "runner_up_idea_id", "The run's second best idea."),
        _maybe(Kind.FLOAT, "margin", "How far the second best is behind the best.", bounds=A_SHARE),
        Column("is_chosen", Kind.BOOL, "Whether it supports the published link."),
        Column("is_conflict", Kind.BOOL, "Whether some evidence of the run contradicts other evidence."),
    ),
    primary_key=("experiment_id", "rank"),
    foreign_keys=(
        ("experiment_id", "runs", "experiment_id"),
        ("idea_id", "ideas", "idea_id"),
        ("runner_up_idea_id", "ideas", "idea_id"),
    ),
)

QUARANTINE = Table(
    name="quarantine",
    one_row_per="rejected input",
    description="What could not be parsed, and every key that was removed, with its place and the reason.",
    columns=(
        _text("kind", "Kind of the file it came from.", tuple(kind.value for kind in FileKind)),
        _maybe(Kind.TEXT, "agent", "Agent of the scratchpad, where it lies in one."),
        _maybe(Kind.TEXT, "wave", "Wave of the scratchpad, where it lies in one."),
        _text("path", "Path relative to the archive's root."),
        _maybe(Kind.INT, "line", "1-based line; null when the whole file was rejected.", bounds=FROM_ONE),
        Column("byte_offset", Kind.INT, "Offset of the rejected bytes in the file.", "bytes"),
        _text("reason", "Why, from a closed list.", tuple(reason.value for reason in Reason)),
        _text("detail", "What was wrong, in a sentence."),
        _text("excerpt", "The first 200 characters of it."),
    ),
    primary_key=("path", "byte_offset", "reason", "detail"),
)

EXPERIMENTS = Table(
    name="experiments",
    one_row_per="run",
    description="The catalogue: what each run tested, what came of it, and when that was known.",
    columns=(
        EXPERIMENT_ID,
        RUN_ID,
        AGENT,
        WAVE,
        FIRST_SEEN_AT,
        Column(
            "first_seen_source",
            Kind.TEXT,
            "Where its launch is stated.",
            is_nullable=True,
            allowed=LAUNCH_SOURCES,
        ),
        IS_FIRST_SEEN_DATE_ONLY,
        _maybe(
            Kind.TIME, "finished_at", "From when on its outcome is known: launch and training time.", "UTC"
        ),
        _maybe(Kind.INT, "position", "1-based place in the order of its scope's launches.", bounds=FROM_ONE),
        _text("verdict", "What came of it against the 3500-step baseline.", VERDICTS),
        _maybe(
            Kind.INT, "step_to_3_28", "First step of the first trial with a loss of at most 3.28.", "steps"
        ),
        _maybe(
            Kind.FLOAT, "final_val_loss", "Validation loss at the last checkpoint of the first trial.", "nats"
        ),
        Column("hit_target", Kind.BOOL, "Whether the first trial reached 3.28."),
        _maybe(Kind.TEXT, "linked_variant_path", "The variant file that it executed."),
        _maybe(Kind.TEXT, "linked_proposal_id", "`{agent}--{wave}--{variant_stem}` of that file."),
        _maybe(Kind.TEXT, "linked_idea_id", "The idea that it tested."),
        _maybe(Kind.TEXT, "recovered_source_sha256", "Hash of the text that ran, where it is known."),
        _maybe(Kind.TEXT, "variant_tier", "The tier that told the variant."),
        _maybe(Kind.TEXT, "idea_tier", "The tier that told the idea."),
        _maybe(Kind.INT, "seed", "Its seed.", bounds=FROM_ZERO),
        _text("recipe", "Its name without seed, replicate and rung, as in `cohorts`."),
        Column("parent_recipes", Kind.TEXTS, "Families of its scope that its own builds on, sorted."),
        _maybe(
            Kind.INT,
            "delta_vs_scope_best",
            "Its step minus its scope's best known at its launch.",
            "steps",
            ANY_SIGN,
        ),
        _maybe(
            Kind.INT,
            "delta_vs_field_best",
            "Its step minus the best of all scopes known then.",
            "steps",
            ANY_SIGN,
        ),
        ON_FRONTIER_WALK,
        _maybe(
            Kind.TEXT,
            "description_text",
            "What it does, in at most 2000 characters; null only where a model was asked for it in vain.",
        ),
        Column(
            "description_source",
            Kind.TEXT,
            "Where that text comes from.",
            is_nullable=True,
            allowed=DESCRIPTION_SOURCES,
        ),
        _maybe(Kind.TEXT, "description_evidence", "What exactly it was taken from."),
    ),
    primary_key=("experiment_id",),
    foreign_keys=(
        ("experiment_id", "runs", "experiment_id"),
        ("linked_idea_id", "ideas", "idea_id"),
        ("linked_proposal_id", "proposals", "proposal_id"),
        ("recovered_source_sha256", "variant_sources", "sha256"),
    ),
)

COHORTS = Table(
    name="cohorts",
    one_row_per="recipe and schedule",
    description="The trials of one recipe under one schedule, and the step at which they make a claim.",
    columns=(
        AGENT,
        WAVE,
        _text("recipe", "Name of its runs without seed, replicate and rung."),
        Column("scheduled_steps", Kind.INT, "Steps the schedule was laid out for.", "steps"),
        Column("n", Kind.INT, "Trials that count.", "trials"),
        Column("member_experiment_ids", Kind.TEXTS, "Runs with a trial that counts, sorted."),
        Column("left_out_ids", Kind.TEXTS, "Run of each trial that does not count, sorted."),
        Column("left_out_trials", Kind.INTS, "Number of each of these trials in its run's log."),
        Column("left_out_reasons", Kind.TEXTS, "Why each does not count: repeated, diverged, stopped_early."),
        Column(
            "seed_source",
            Kind.TEXT,
            "The weakest way in which a member's seed is known; `run_id_not_forwarded` is a mere name.",
            is_nullable=True,
            allowed=SEED_SOURCES,
        ),
        _maybe(Kind.INT, "last_common_step", "Last checkpoint that all of them share.", "steps"),
        _maybe(Kind.FLOAT, "mean_val_loss", "Mean loss there.", "nats"),
        _maybe(Kind.FLOAT, "sd_val_loss", "Standard deviation (n - 1) there; null for one trial.", "nats"),
        _maybe(Kind.FLOAT, "score", "`(3.28 - mean) * sqrt(n)` there."),
        _maybe(
            Kind.INT, "claimable_step", "Earliest shared checkpoint with a score of 0.004 or more.", "steps"
        ),
        _maybe(Kind.FLOAT, "claimable_mean", "Mean loss at that step.", "nats"),
        _maybe(Kind.FLOAT, "claimable_score", "Score at that step."),
    ),
    primary_key=("agent", "wave", "recipe", "scheduled_steps"),
    foreign_keys=(
        ("member_experiment_ids", "experiments", "experiment_id"),
        ("left_out_ids", "experiments", "experiment_id"),
    ),
)

SNAPSHOTS = Table(
    name="snapshots",
    one_row_per="snapshot",
    description="What was known in a scope at a moment, and what was still ahead.",
    columns=(
        _text("snapshot_id", "`snap_{agent}_{wave}_k{k}`, k with four digits."),
        AGENT,
        WAVE,
        Column("k", Kind.INT, "Experiments of the scope launched at or before the moment.", "experiments"),
        Column("wall_clock", Kind.TIME, "The moment.", "UTC"),
        Column(
            "position", Kind.INT, "1-based place among the percentiles 10, 30, 50, 70 and 90.", bounds=(1, 5)
        ),
        _text("split", "dev for positions 1 and 5, test for 2 to 4.", ("dev", "test")),
        _text("wave_constraint", "What the wave asked of an idea."),
        _maybe(Kind.TEXT, "current_recipe_experiment_id", "The scope's best hit that was known."),
        _maybe(Kind.INT, "current_recipe_step_to_3_28", "Its step.", "steps"),
        _maybe(Kind.TEXT, "field_best_experiment_id", "The best hit of all scopes that was known."),
        _maybe(Kind.INT, "field_best_step_to_3_28", "Its step.", "steps"),
        Column("prior_idea_ids", Kind.TEXTS, "Ideas of the scope that were there."),
        Column("prior_experiment_ids", Kind.TEXTS, "Experiments of the scope that were launched."),
        Column("future_frontier_idea_ids", Kind.TEXTS, "Later ideas of the scope on its frontier walk."),
        Column("future_improved_idea_ids", Kind.TEXTS, "Later ideas of the scope with verdict improved."),
        Column("future_improved_experiment_ids", Kind.TEXTS, "Later experiments with verdict improved."),
        Column("future_frontier_experiment_ids", Kind.TEXTS, "Later experiments on its frontier walk."),
        Column("rejected_idea_ids", Kind.TEXTS, "Prior ideas of the scope that were rejected."),
        Column("other_agent_visible_idea_ids", Kind.TEXTS, "Ideas of the other agent of the wave."),
        Column("other_agent_visible_experiment_ids", Kind.TEXTS, "Experiments of that agent."),
        Column("field_prior_idea_ids", Kind.TEXTS, "Ideas of all scopes that were there."),
        Column("field_prior_experiment_ids", Kind.TEXTS, "Experiments of all scopes that were launched."),
    ),
    primary_key=("wave", "agent", "k"),
    foreign_keys=(
        ("current_recipe_experiment_id", "experiments", "experiment_id"),
        ("field_best_experiment_id", "experiments", "experiment_id"),
        ("prior_idea_ids", "ideas", "idea_id"),
        ("prior_experiment_ids", "experiments", "experiment_id"),
        ("future_frontier_idea_ids", "ideas", "idea_id"),
        ("future_improved_idea_ids", "ideas", "idea_id"),
        ("future_improved_experiment_ids", "experiments", "experiment_id"),
        ("future_frontier_experiment_ids", "experiments", "experiment_id"),
        ("rejected_idea_ids", "ideas", "idea_id"),
        ("other_agent_visible_idea_ids", "ideas", "idea_id"),
        ("other_agent_visible_experiment_ids", "experiments", "experiment_id"),
        ("field_prior_idea_ids", "ideas", "idea_id"),
        ("field_prior_experiment_ids", "experiments", "experiment_id"),
    ),
)

TABLES = (
    RUNS,
    IDEAS,
    EXPERIMENTS,
    COHORTS,
    SNAPSHOTS,
    VAL_TRAJECTORIES,
    PROPOSALS,
    VARIANT_LINKS,
    VARIANT_SOURCES,
    RUN_IDEA_LINKS,
    QUARANTINE,
)
"""Every table of the dataset, in the order in which people read them."""


def _embeddings(backend: str, by_whom: str) -> Table:
    return Table(
        name=f"experiment_embeddings_{backend}",
        one_row_per="experiment",
        description=f"The description of each experiment as a vector, by {by_whom}.",
        columns=(
            EXPERIMENT_ID,
            _maybe(Kind.VECTOR, "embedding", "Vector of unit length; null where it could not be had."),
            _text("embedding_model", "The model, named so exactly that no other one bears the name."),
            _text("text_sha256", "Hash of the description that was embedded, in UTF-8."),
            Column("is_text_cut", Kind.BOOL, "Whether the text was too long for the model and lost its end."),
        ),
        primary_key=("experiment_id",),
        foreign_keys=(("experiment_id", "runs", "experiment_id"),),
    )


EMBEDDING_TABLES = {
    "openai": _embeddings("openai", "OpenAI"),
    "bge": _embeddings("bge", "a BGE model"),
}
"""Tables that a dataset has only where a build was asked for them, by the backend that fills them."""
