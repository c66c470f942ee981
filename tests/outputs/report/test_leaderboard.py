"""The leaderboard of the report: on its scales, escaped, and there only where it is handed over."""

import re
from pathlib import Path

import pytest

from outputs.manifest import read_manifest
from outputs.report.leaderboard import Metric
from outputs.report.render import REPORT_NAME, write_report
from tests.outputs.report.boards import HOSTILE_NAME, HOSTILE_REASON, hostile_board


@pytest.fixture(scope="module")
def page(hostile_dataset: Path) -> str:
    return write_report(read_manifest(hostile_dataset), hostile_dataset, hostile_board())


def section(page: str) -> str:
    found = re.search(r'<section id="leaderboard".*?</section>', page, re.DOTALL)
    assert found
    return found[0]


def test_a_value_has_its_place_on_the_scale() -> None:
    """From -1 to 3 the value 0 lies at a quarter; what lies beyond an end is put there."""
    metric = Metric("Set score", -1, 3)
    assert [metric.place(value) for value in (-1, 0, 3, 9, -9)] == [0, 25, 100, 100, 0]
    assert Metric("Nothing to tell apart", 2, 2).place(2) == 50


def test_numbers_are_written_as_people_read_them() -> None:
    assert Metric("Set score", -1.136, 3).show(1.25) == "1.25"
    assert Metric("Set score", -1.136, 3).show_end(-1.136) == "-1.14"
    share = Metric("Win rate", 0, 1, is_share=True)
    assert (share.show(0.4567), share.show_end(1)) == ("45.7%", "100%")


def test_it_shows_ranks_numbers_intervals_and_what_does_not_count(page: str) -> None:
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", section(page)))
    assert "1 plain 1.50 1.00 to 2.00 75.0% 50.0% to 100.0% 2 of 2" in text
    assert "0.50 no interval" in text
    assert "none never none no interval none no interval 0 of 2" in text
    assert "snap_b , not run" in text
    assert "judge cosine threshold 0.75" in text


def test_an_interval_is_drawn_where_it_lies(page: str) -> None:
    """On the scale from 0 to 2 the interval from 1 to 2 is the right half, its mean 1.5 at three quarters."""
    assert '<rect class="reach" x="50.0" y="2" width="50.0" height="6"/>' in section(page)
    assert '<rect class="mean" x="74.25" width="1.5" height="10"/>' in section(page)


def test_what_proposers_say_is_escaped(page: str) -> None:
    assert HOSTILE_NAME not in page
    assert HOSTILE_REASON not in page
    assert "&lt;script&gt;window.attacked = 6" in section(page)
    assert page.count("<script") == page.count("</script>") == 2


def test_without_one_the_page_is_that_of_the_build(hostile_dataset: Path, page: str) -> None:
    built = (hostile_dataset / REPORT_NAME).read_text(encoding="utf-8")
    assert 'id="leaderboard"' not in built
    assert 'href="#leaderboard"' not in built
    without = re.sub(r'<section id="leaderboard".*?</section>\s*', "", page, flags=re.DOTALL)
    assert without.replace('<li><a href="#leaderboard">Leaderboard</a></li>\n', "") == built
