"""How a validation is told: a table of checks, then the first rows that fail, with where they come from."""

import json

from rich.console import Console
from rich.table import Table

from flows.summary import SummaryTable
from outputs.validation.model import NUM_SHOWN, Severity, Validation

GATES_FAILED = 3
"""Exit code of a dataset that was built but does not keep its promises."""

CELL_CHARS = 100
"""A longer value is cut when it is shown."""


def gates_table(validation: Validation) -> SummaryTable:
    """Lay a validation out as a small table."""
    rows = tuple(
        (each.check.name, each.check.severity.value, each.num_offenders, each.check.promise)
        for each in validation.results
    )
    return SummaryTable(
        "Checks and the rows that fail them.", ("check", "weight", "failing", "promise"), rows
    )


def print_validation(validation: Validation, console: Console) -> None:
    """Print the table of checks and the first failing rows of each."""
    table = Table(title="Checks and the rows that fail them.", title_justify="left")
    for name in ("check", "state", "failing", "promise"):
        table.add_column(name, justify="right" if name == "failing" else "left", no_wrap=name != "promise")
    for each in validation.results:
        state = each.check.severity.value if each.num_offenders else "ok"
        table.add_row(each.check.name, state, f"{each.num_offenders:,}", each.check.promise)
    console.print(table)
    print_failing_rows(validation, console)
    console.print(verdict(validation), highlight=False, soft_wrap=True)


def print_failing_rows(validation: Validation, console: Console) -> None:
    """Print the first failing rows of every check, one line a row."""
    for each in validation.results:
        for place, rows in each.offenders.items():
            more = f", the first {NUM_SHOWN}" if rows.height > NUM_SHOWN else ""
            head = f"{each.check.severity.value.title()} {each.check.name}: {rows.height:,} in {place}{more}:"
            console.print(head, markup=False, highlight=False, soft_wrap=True)
            for row in rows.head(NUM_SHOWN).iter_rows(named=True):
                console.print(f"  {_line(row)}", markup=False, highlight=False, soft_wrap=True)


def validation_json(validation: Validation) -> str:
    """Write a validation as JSON, with the first failing rows of each check."""
    checks = [
        {
            "check": each.check.name,
            "severity": each.check.severity.value,
            "promise": each.check.promise,
            "failing": each.num_offenders,
            "rows": each.records(),
        }
        for each in validation.results
    ]
    return json.dumps(checks, indent=2)


def verdict(validation: Validation) -> str:
    """Say in a sentence how a validation ended."""
    errors = len(validation.failing(Severity.ERROR))
    warnings = len(validation.failing(Severity.WARNING))
    return f"{len(validation.results)} checks: {errors} failed, {warnings} gave warnings."


def _line(row: dict[str, object]) -> str:
    shown = (f"{name}={_shown(value)}" for name, value in row.items() if value not in (None, []))
    return ", ".join(shown) or "(no value)"


def _shown(value: object) -> str:
    text = "".join(char if char.isprintable() else " " for char in str(value))
    return text if len(text) <= CELL_CHARS else text[:CELL_CHARS] + "…"
