"""The report in a real browser: it works with mouse and keyboard, and no text of the archive does anything."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright
from rich.console import Console

from flows.reporting import QuietReporter
from flows.settings import BuildSettings
from flows.stages import build_dataset
from outputs.manifest import read_manifest
from outputs.report.render import REPORT_NAME, write_report
from tests.helpers import write_scratchpad
from tests.outputs.report.boards import HOSTILE_NAME, hostile_board

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason="Chromium is not installed")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield browser
        browser.close()


def opened(browser: Browser, dataset: Path, *, theme: str = "light", width: int = 1280) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if theme == "dark" else "light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "request",
        lambda request: (
            complaints.append(request.url)
            if "file://" not in request.url and "data:" not in request.url
            else None
        ),
    )
    page.goto((dataset / "report.html").as_uri())
    page.wait_for_selector("#chart > *")
    yield page
    assert complaints == []
    assert page.evaluate("window.attacked") is None
    context.close()


@pytest.fixture
def page(browser: Browser, hostile_dataset: Path) -> Iterator[Page]:
    """The report; at the end of each test the console is empty, nothing was loaded and no attack worked."""
    yield from opened(browser, hostile_dataset)


def shown(page: Page, table: str) -> int:
    return int(page.locator(f"#{table}-count").inner_text().split()[0].replace(",", ""))


def test_an_empty_dataset_has_a_report_too(browser: Browser, tmp_path: Path) -> None:
    archive = write_scratchpad(tmp_path / "archive")
    reporter = QuietReporter(Console(file=None, quiet=True))
    build_dataset(BuildSettings(archive=str(archive), out=str(tmp_path / "out")), reporter)
    for page in opened(browser, tmp_path / "out"):
        assert "There are no runs." in page.locator("#verdicts").inner_text()
        assert "Nothing matches" in page.locator("#experiments-table").inner_text()


def test_it_loads_and_shows_every_part(page: Page) -> None:
    assert page.locator("h1").inner_text() == "Optimizer speedrun archive"
    assert shown(page, "experiments") == 611, "610 runs of the demo archive and a hostile one"
    assert shown(page, "snapshots") == 40
    assert page.locator("#chart circle").count() > 10
    assert page.locator("#verdicts tbody tr").count() == 8


def test_search_and_filters_narrow_the_table(page: Page) -> None:
    page.fill("#experiments-search", "baseline MUON")
    narrowed = shown(page, "experiments")
    assert 0 < narrowed < 611
    names = page.locator("#experiments-table tbody tr").all_inner_texts()
    assert len(names) == min(narrowed, 25)
    page.select_option("#experiments-finder select >> nth=0", "v1/codex")
    fewer = shown(page, "experiments")
    assert 0 < fewer < narrowed
    assert set(page.locator("#experiments-table tbody tr td:nth-child(2)").all_inner_texts()) == {"v1/codex"}
    page.fill("#experiments-search", "nothing is called so")
    assert shown(page, "experiments") == 0
    assert "Nothing matches" in page.locator("#experiments-table tbody").inner_text()


@pytest.mark.parametrize("table", ["experiments", "ideas", "snapshots"])
def test_what_a_search_suggests_finds_something(page: Page, table: str) -> None:
    hint = page.get_attribute(f"#{table}-search", "placeholder") or ""
    everything = shown(page, table)
    page.fill(f"#{table}-search", hint.removeprefix("for example "))
    assert 0 < shown(page, table) < everything


def test_headings_sort_and_say_so(page: Page) -> None:
    steps = "#experiments-table tbody tr td:nth-child(5)"
    first = [int(text.replace(",", "")) for text in page.locator(steps).all_inner_texts()]
    assert first == sorted(first)
    page.click("#experiments-table th:nth-child(5) button")
    assert page.get_attribute("#experiments-table th:nth-child(5)", "aria-sort") == "descending"
    last = [int(text.replace(",", "")) for text in page.locator(steps).all_inner_texts()]
    assert last == sorted(last, reverse=True)
    assert last[0] > first[0]


def test_a_snapshot_opens_and_leads_on(page: Page) -> None:
    page.click("#snapshots-table tbody tr:nth-child(8) button")
    detail = page.locator("#detail")
    assert detail.is_visible()
    text = detail.inner_text()
    assert "What was known" in text
    assert "What was ahead" in text
    detail.locator("summary").first.click()
    detail.locator("details li button").first.click()
    assert "Verdict" in detail.inner_text()
    page.keyboard.press("Escape")
    assert not detail.is_visible()


def test_a_script_in_an_idea_title_does_nothing(page: Page) -> None:
    page.fill("#ideas-search", "hostile")
    button = page.locator("#ideas-table tbody button").first
    assert "<script>window.attacked = 1</script>" in button.inner_text(), "it stands there as text"
    button.click()
    detail = page.locator("#detail")
    assert "</script><script>window.attacked = 3</script>" in detail.inner_text()
    assert "{{ 7 * 191 }}" in detail.inner_text()
    assert detail.locator("script, img, a").count() == 0
    assert page.locator("a[href^='javascript']").count() == 0
    page.wait_for_timeout(100)


def test_an_address_leads_to_what_it_names(page: Page) -> None:
    page.click("#snapshots-table tbody tr:nth-child(8) button")
    name, address = page.locator("#detail-title").inner_text(), page.url
    page.keyboard.press("Escape")
    page.wait_for_url(lambda url: "#" not in url, timeout=5000)
    page.goto("about:blank")
    page.goto(address)
    assert page.locator("#detail-title").inner_text() == name


@pytest.mark.parametrize("address", ["#idea=</script>", "#%", "#constructor=1", "#snapshot", "#frontier"])
def test_an_address_that_names_nothing_opens_nothing(page: Page, address: str) -> None:
    file = page.url
    page.goto("about:blank")
    page.goto(file + address)
    page.wait_for_selector("#snapshots-table tbody tr")
    assert not page.locator("#detail").is_visible()


def test_the_chart_can_be_walked_and_opened_by_keyboard(page: Page) -> None:
    points = page.locator("#chart circle")
    points.first.focus()
    first = page.locator("#chart-readout").inner_text()
    page.keyboard.press("ArrowRight")
    assert page.locator("#chart-readout").inner_text() != first
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.keyboard.press("Enter")
    assert page.locator("#detail-title").inner_text() in label
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == label, "focus comes back"


def test_all_is_reached_by_the_tab_key(page: Page) -> None:
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id"))
    assert {"theme", "chart-wave", "chart-hits", "experiments-search"} <= reached


def test_a_wave_can_be_chosen(page: Page) -> None:
    before = page.locator("#chart circle").count()
    page.select_option("#chart-wave", "v2")
    labels = [point.get_attribute("aria-label") for point in page.locator("#chart circle").all()]
    assert 0 < len(labels) < before


def test_light_and_dark_can_be_chosen(page: Page) -> None:
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("#theme")
    assert page.get_attribute("#theme", "aria-pressed") == "true"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing(browser: Browser, hostile_dataset: Path, theme: str, width: int) -> None:
    for page in opened(browser, hostile_dataset, theme=theme, width=width):
        for details in page.locator("main details summary").all():
            details.click()
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, "nothing is cut off"
        for state in ("the page", "an open snapshot"):
            found = Axe().run(page).response
            assert len(found["passes"]) > 20, "axe looked at the page"
            assert [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == [], state
            if state == "the page":
                page.click("#snapshots-table tbody tr:nth-child(8) button")


def test_axe_would_find_something(page: Page) -> None:
    """The check itself can fail: pale on pale, and a field without a label."""
    page.evaluate(
        "document.querySelector('#chart-wave').parentElement.replaceWith(document.querySelector('#chart-wave'))"
    )
    page.evaluate("document.querySelector('h1').style.color = '#e5e5e5'")
    assert {each["id"] for each in Axe().run(page).response["violations"]} >= {
        "color-contrast",
        "select-name",
    }


@pytest.fixture(scope="module")
def ranked_dataset(hostile_dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hostile dataset whose report shows a leaderboard as well."""
    folder = tmp_path_factory.mktemp("ranked") / "dataset"
    shutil.copytree(hostile_dataset, folder)
    page = write_report(read_manifest(folder), folder, hostile_board())
    (folder / REPORT_NAME).write_text(page, encoding="utf-8")
    return folder


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_leaderboard_stands_in_the_page_and_axe_finds_nothing(
    browser: Browser, ranked_dataset: Path, theme: str, width: int
) -> None:
    for page in opened(browser, ranked_dataset, theme=theme, width=width):
        page.click(".contents a[href='#leaderboard']")
        board = page.locator("#leaderboard")
        assert board.locator(".leaderboard tbody tr").count() == 3
        assert HOSTILE_NAME in board.locator(".leaderboard").inner_text(), "it stands there as text"
        drawn = board.locator(".interval .reach").first.bounding_box()
        assert drawn is not None and drawn["width"] > 20
        for details in board.locator("details summary").all():
            details.click()
        assert "{{ 7 * 191 }}" in board.inner_text()
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, "nothing is cut off"
        found = Axe().run(page).response
        assert [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == []
