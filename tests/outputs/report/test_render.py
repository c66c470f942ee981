"""The page as text: it is whole, loads nothing, and is the same for the same dataset."""

import hashlib
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from outputs.dataset import OutputError, renew_page
from outputs.manifest import MANIFEST_NAME, read_manifest
from outputs.report.render import REPORT_NAME, write_report

ROOT = Path(__file__).parents[3]


def test_a_build_writes_it_and_lists_it(hostile_dataset: Path) -> None:
    entry = next(each for each in read_manifest(hostile_dataset).texts if each.name == REPORT_NAME)
    assert entry.sha256 == hashlib.sha256((hostile_dataset / REPORT_NAME).read_bytes()).hexdigest()


def test_markup_of_the_archive_is_escaped_everywhere(hostile_dataset: Path) -> None:
    page = (hostile_dataset / REPORT_NAME).read_text(encoding="utf-8")
    assert "window.attacked" in page, "the texts are shown"
    assert "<script>window.attacked" not in page
    assert "<img" not in page
    assert "<a href='javascript" not in page
    assert page.count("<script") == page.count("</script>") == 2


def test_it_names_nothing_that_would_be_loaded(hostile_dataset: Path) -> None:
    page = (hostile_dataset / REPORT_NAME).read_text(encoding="utf-8")
    frame = re.sub(r'<script type="application/json".*?</script>', "", page, flags=re.DOTALL)
    assert not re.findall(r"""(?:src|href)\s*=\s*["']?(?:https?:)?//""", frame)
    assert "default-src 'none'" in page


def test_it_stays_small_at_full_scale(hostile_dataset: Path) -> None:
    """Below 15 MB for the 10,380 runs of the real archive, if each takes what one of the demo archive takes."""
    num_runs = next(each.rows for each in read_manifest(hostile_dataset).files if each.name == "runs.parquet")
    assert (hostile_dataset / REPORT_NAME).stat().st_size / num_runs * 10_380 < 15e6


def cells(page: str, caption: str) -> list[list[str]]:
    """The rows of the table with a caption, as text."""
    table = page[page.index(f"<caption>{caption}") :].partition("</table>")[0]
    rows = re.findall(r"<tr>(.*?)</tr>", table, flags=re.DOTALL)
    texts = [re.sub(r"<[^>]+>", " ", re.sub(r"</t[hd]>", "|", row)) for row in rows]
    return [[cell.strip() for cell in text.split("|")[:-1]] for text in texts]


def test_a_tier_of_ideas_answers_also_where_another_decided(hostile_dataset: Path) -> None:
    page = (hostile_dataset / REPORT_NAME).read_text(encoding="utf-8")
    rows = {tier: rest for tier, *rest in cells(page, "Ideas by tier")}
    assert rows["abbreviation"] == ["", "124", "79", "54.2%"]
    assert rows["left open"][2] == "251"


def test_what_was_set_aside_is_told_with_what_was_seen(hostile_dataset: Path) -> None:
    """The archive's 40 lines of a ledger that were, and one more; its share is one of all."""
    page = (hostile_dataset / REPORT_NAME).read_text(encoding="utf-8")
    rows = {kind: rest for kind, *rest in cells(page, "Inputs by kind")}
    assert rows["ledger"] == ["962", "921", "41"]
    assert rows["log"] == ["738", "733", "5"]
    places = cells(page, "Places set aside")[1:]
    assert sum(int(row[-1]) for row in places) == 61
    widths = re.findall(r'<rect class="fill-failed" width="([\d.]+)"', page)
    assert sum(map(float, widths)) == pytest.approx(100)
    assert "stub: no command, 1<" in page
    assert re.search(r"ledger: bad json, the first 5 of \d+<", page)


def test_neither_time_nor_place_reaches_it(hostile_dataset: Path) -> None:
    manifest = read_manifest(hostile_dataset)
    later = manifest.model_copy(update={"created_at": manifest.created_at.replace(year=2031)})
    page = write_report(later, hostile_dataset)
    assert page == (hostile_dataset / REPORT_NAME).read_text(encoding="utf-8")
    assert str(hostile_dataset) not in page


def test_written_anew_it_is_the_same_and_the_manifest_too(hostile_dataset: Path) -> None:
    before = {name: (hostile_dataset / name).read_bytes() for name in (REPORT_NAME, MANIFEST_NAME)}
    (hostile_dataset / REPORT_NAME).write_text("gone")
    renew_page(REPORT_NAME, write_report, hostile_dataset)
    assert {name: (hostile_dataset / name).read_bytes() for name in before} == before
    assert not list(hostile_dataset.glob(".*"))


def test_what_is_no_dataset_has_no_report(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="is no dataset"):
        renew_page(REPORT_NAME, write_report, tmp_path)


def test_the_wheel_holds_template_style_and_script(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        packed = set(wheel.namelist())
    suffixes = {".jinja", ".css", ".js"}
    wanted = {
        path.relative_to(ROOT).as_posix() for path in (ROOT / "outputs").rglob("*") if path.suffix in suffixes
    }
    assert wanted <= packed
    assert len(wanted) == 9
