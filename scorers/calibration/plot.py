"""A picture of a calibration: accuracy, kappa and F1 of each class. Needs the extra `plots`."""

from pathlib import Path

from scorers.calibration.results import CalibrationResult, ThresholdFigures
from scorers.errors import ScoringError

PLOT_SUFFIXES = (".png", ".svg", ".html")


def draw_calibration(result: CalibrationResult, path: Path) -> None:
    """Draw a calibration into a file, the kind of which follows from its name.

    Raises:
        ScoringError: If it is neither PNG, SVG nor HTML, or the extra is not installed.
    """
    if path.suffix.lower() not in PLOT_SUFFIXES:
        raise ScoringError(f"{path} cannot be drawn: name a file that ends in {', '.join(PLOT_SUFFIXES)}.")
    try:
        import altair
    except ImportError:
        raise ScoringError("A plot needs the extra plots: pip install 'speedrun-etl[plots]'.") from None
    rows = [
        {"threshold": each.threshold, "figure": name, "value": value}
        for each in result.sweep
        for name, value in _values(each)
    ]
    lines = (
        altair.Chart({"values": rows})
        .mark_line()
        .encode(
            x=altair.X("threshold:Q", title="cosine threshold", scale=altair.Scale(zero=False)),
            y=altair.Y("value:Q", title=None, scale=altair.Scale(domain=[0, 1], clamp=True)),
            color=altair.Color("figure:N", title=None, sort=None),
            strokeDash=altair.StrokeDash("figure:N", title=None, sort=None),
        )
    )
    marks = [("in use", result.threshold), ("published", result.published.threshold)]
    rules = (
        altair.Chart({"values": [{"name": name, "threshold": at} for name, at in marks]})
        .mark_rule(color="#666")
        .encode(x="threshold:Q", strokeDash=altair.StrokeDash("name:N", legend=None))
    )
    title = f"{result.num_cases} cases, {result.embedding}: {result.threshold:g} is in use"
    (lines + rules).properties(width=640, height=360, title=title).save(str(path))


def _values(figures: ThresholdFigures) -> list[tuple[str, float]]:
    named = [("accuracy", figures.accuracy.value), ("kappa", figures.kappa.value)]
    named += [(f"F1 {each.classification}", each.f1.value) for each in figures.classes]
    return [(name, value) for name, value in named if value is not None]
