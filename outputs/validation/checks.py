"""The list of all checks, in the order in which they are told, and how they are run."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from outputs.validation import columns, references, whole
from outputs.validation.expectations import ANY, Expected, choose, find_unexpected, read_expectations
from outputs.validation.model import Check, Result, Severity, Validation
from outputs.validation.opened import OpenedDataset

ERROR, WARNING = Severity.ERROR, Severity.WARNING

CHECKS = (
    Check("files", ERROR, "Every file has the hash that the manifest states.", whole.find_changed_files),
    Check("types", ERROR, "Every table has the declared columns and types.", columns.find_wrong_types),
    Check(
        "row_counts",
        ERROR,
        "Every table has as many rows as the manifest states.",
        whole.find_wrong_row_counts,
    ),
    Check("nulls", ERROR, "No value is missing where none may be.", columns.find_nulls),
    Check(
        "allowed_values", ERROR, "Every value is in its column's closed list.", columns.find_strange_values
    ),
    Check("ranges", ERROR, "Every number is within its column's limits.", columns.find_out_of_range),
    Check("finite", ERROR, "No number but a loss is NaN or infinite.", columns.find_not_finite),
    Check("keys", ERROR, "No two rows share a primary key.", columns.find_repeated_keys),
    Check("row_order", ERROR, "Rows are sorted by their primary key.", columns.find_out_of_order),
    Check("references", ERROR, "Every id leads to a row.", references.find_open_references),
    Check(
        "one_row_a_run",
        ERROR,
        "`runs` and `experiments` hold the same runs.",
        references.find_runs_in_one_table,
    ),
    Check("outcomes", ERROR, "Hit and verdict follow from the step to 3.28.", references.find_wrong_outcomes),
    Check("crossings", ERROR, "The step to 3.28 is that of the trajectory.", references.find_wrong_crossings),
    Check("times", ERROR, "Nothing is finished before it is launched.", references.find_wrong_times),
    Check(
        "choices", ERROR, "A published variant is the answer of one tier.", references.find_unclear_choices
    ),
    Check("ideas", ERROR, "A published idea has its evidence.", references.find_unfounded_ideas),
    Check(
        "balance",
        ERROR,
        "parsed + quarantined = seen, for every kind of input.",
        whole.find_unbalanced_inputs,
    ),
    Check("snapshot_laws", ERROR, "Snapshots keep the laws of time.", whole.find_broken_laws),
    Check("recipes", ERROR, "Every snapshot has its recipe file.", whole.find_wrong_recipes),
    Check(
        "strange_files",
        WARNING,
        "No file lies there that the manifest does not name.",
        whole.find_strange_files,
    ),
    Check("scopes", WARNING, "The archive has all scopes.", whole.find_missing_scopes),
)
"""The checks that need no expectations."""


def validate(
    folder: Path, expectations: Mapping[str, Expected] | None = None, expect: str | None = None
) -> Validation:
    """Run every check on a dataset.

    Args:
        folder: The dataset.
        expectations: What archives are expected to give; the committed ones by default.
        expect: Name of the section that the dataset is held against. By default the one that was named when
            it was built, else the one with its archive's fingerprint.

    Raises:
        OutputError: If the folder holds no manifest that can be read.
        ExpectationError: If there is no such section.
    """
    dataset = OpenedDataset.of(folder)
    sections = read_expectations() if expectations is None else expectations
    checks = (*CHECKS, *_expected(dataset, sections, expect or dataset.manifest.expect))
    return Validation(
        tuple(
            Result(check, {place: rows for place, rows in check.find(dataset).items() if rows.height})
            for check in checks
        )
    )


def _expected(
    dataset: OpenedDataset, expectations: Mapping[str, Expected], expect: str | None
) -> tuple[Check, ...]:
    """Make the checks of expectations: errors for a section that was chosen, warnings for any archive."""
    chosen = choose(expectations, dataset.manifest.input_fingerprint, expect)
    name, known = chosen or (None, None)
    empty = frozenset(known.empty_columns if known else ())
    return (
        Check(
            "empty_columns",
            WARNING,
            "No column is empty, unless that is expected.",
            partial(columns.find_empty_columns, expected=empty),
        ),
        Check(
            "expected_numbers",
            ERROR,
            f"The archive gives the numbers committed for {name}."
            if name
            else "A known archive gives the committed numbers; this one is not known.",
            partial(find_unexpected, expected=known),
        ),
        Check(
            "usual_coverage",
            WARNING,
            "An archive gives the usual coverage.",
            partial(find_unexpected, expected=expectations.get(ANY)),
        ),
    )
