"""Cases as files, so that one can look at them: each as Markdown, and a table of labels and answers."""

from collections.abc import Sequence
from pathlib import Path

from scorers.calibration.cases import Case
from scorers.calibration.results import CaseAnswer

TABLE_NAME = "cases.jsonl"


def case_path(case: Case) -> str:
    """Name the file of a case, below the folder of its right answer."""
    return f"{case.expected.value}/{case.case_id.replace('/', '--')}.md"


def write_cases(cases: Sequence[Case], answers: Sequence[CaseAnswer], folder: Path) -> None:
    """Write cases.

    Args:
        cases: The cases.
        answers: What became of each, in the same order.
        folder: An empty folder, or one that is not there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for each in cases:
        path = folder / case_path(each)
        path.parent.mkdir(exist_ok=True)
        path.write_text(each.markdown, encoding="utf-8")
    lines = "".join(f"{each.model_dump_json(ensure_ascii=True)}\n" for each in answers)
    (folder / TABLE_NAME).write_text(lines, encoding="utf-8")
