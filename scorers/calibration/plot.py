"""A picture of a calibration: accuracy, kappa and F1 of each class. Needs the extra `plots`."""

from pathlib import Path

from scorers.calibration.results import CalibrationResult, ThresholdFigures
from scorers.classes import Classification
from scorers.errors import ScoringError

PLOT_SUFFIXES = (".png", ".svg", ".html")

_SIZE = {"width": 640, "height": 360}


def check_plot(path: Path) -> None:
    """Refuse what cannot be drawn, before any work.

    Raises:
        ScoringError: If it is neither PNG, SVG nor HTML, or the extra is not installed.
    """
    if path.suffix.lower() not in PLOT_SUFFIXES:
        raise ScoringError(f"{path} cannot be drawn: name a file that ends in {', '.join(PLOT_SUFFIXES)}.")
    try:
        import altair  # noqa: F401
        import vl_convert  # noqa: F401
    except ImportError:
        raise ScoringError("A plot needs the extra plots: pip install 'speedrun-etl[plots]'.") from None


def draw_calibration(result: CalibrationResult, path: Path) -> None:
    """Draw a calibration into a file, the kind of which follows from its name.

    Raises:
        ScoringError: If it is neither PNG, SVG nor HTML, or the extra is not installed.
    """
    check_plot(path)
    import altair

    x = altair.X("threshold:Q", title="least cosine of a match", scale=altair.Scale(domain=[0, 1]))
    unit = altair.Scale(domain=[0, 1], clamp=True)
    rows = [
        {"threshold": each.threshold, "figure": name, "value": value}
        for each in result.sweep
        for name, value in _values(each)
    ]
    lines = (
        altair.Chart({"values": rows})
        .mark_line()
        .encode(
            x=x,
            y=altair.Y("value:Q", title=None, scale=unit),
            color=altair.Color("figure:N", title=None, sort=None),
            strokeDash=altair.StrokeDash("figure:N", title=None, sort=None),
        )
    )
    band = (
        altair.Chart({"values": _kappa_bounds(result)})
        .mark_area(color="#888", opacity=0.25)
        .encode(x=x, y=altair.Y("low:Q", scale=unit), y2="high:Q")
    )
    marks = altair.Chart({"values": _marks(result)})
    rules = marks.mark_rule(color="#666").encode(x=x)
    labels = marks.mark_text(align="left", baseline="bottom", dx=4, color="#444").encode(
        x=x, y=altair.value(_SIZE["height"] - 4), text="label:N"
    )
    title = altair.TitleParams(
        f"{result.num_cases} cases of {result.num_snapshots} dev snapshots, compared by {result.embedding}",
        subtitle="Shaded: 95% interval of kappa over resampled snapshots",
    )
    kind = path.suffix.lower().removeprefix(".")
    drawn = altair.layer(band, lines, rules, labels).properties(title=title, **_SIZE)
    drawn.save(str(path), format=kind, inline=kind == "html")


def _marks(result: CalibrationResult) -> list[dict[str, str | float]]:
    published = result.published.threshold
    if result.threshold == published:
        return [_mark("chosen and published", published)]
    return [_mark("chosen", result.threshold), _mark("published", published)]


def _mark(name: str, threshold: float) -> dict[str, str | float]:
    return {"threshold": threshold, "label": f"{name} {threshold:g}"}


def _kappa_bounds(result: CalibrationResult) -> list[dict[str, float]]:
    return [
        {"threshold": each.threshold, "low": each.kappa.interval.low, "high": each.kappa.interval.high}
        for each in result.sweep
        if each.kappa.interval is not None
    ]


def _values(figures: ThresholdFigures) -> list[tuple[str, float]]:
    named = [("accuracy", figures.accuracy.value), ("kappa", figures.kappa.value)]
    # What is malformed is told from what is not before any threshold is asked.
    told = [each for each in figures.classes if each.classification is not Classification.INVALID]
    named += [(f"F1 {each.classification.value}", each.f1.value) for each in told]
    return [(name, value) for name, value in named if value is not None]
