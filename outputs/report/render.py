"""`report.html` from what it shows: one page that holds its own style, script and data.

Text of the archive reaches the page in two ways only: through the template, which escapes it, and as JSON
that the script puts in place as text. The page's own policy lets no other script run and nothing be loaded.
"""

import base64
import hashlib
from datetime import datetime
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, FunctionLoader, StrictUndefined

from outputs.manifest import Manifest
from outputs.report.data import gather_report
from outputs.report.leaderboard import LeaderboardSection

REPORT_NAME = "report.html"

SCRIPTS = ("base.js", "details.js", "finder.js", "chart.js", "main.js")
"""The parts of the script, each of which needs those before it."""


def write_report(manifest: Manifest, folder: Path, leaderboard: LeaderboardSection | None = None) -> str:
    """Write the report of the dataset whose tables lie in a folder.

    Args:
        manifest: What is known of the dataset. Its timestamp is not used.
        folder: Where the tables are.
        leaderboard: Proposers to be shown as well, of which the dataset knows nothing.
    """
    environment = Environment(
        loader=FunctionLoader(_text),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"count": _count, "when": _when, "label": _label}
    style = _text("report.css")
    script = "".join(_text(f"script/{name}") for name in SCRIPTS)
    return environment.get_template("template.html.jinja").render(
        report=gather_report(manifest, folder),
        leaderboard=leaderboard,
        style=style,
        script=script,
        style_hash=_policy_hash(style),
        script_hash=_policy_hash(script),
    )


def _text(name: str) -> str:
    return files("outputs.report").joinpath(name).read_text(encoding="utf-8")


def _policy_hash(text: str) -> str:
    """Name a text the way a content security policy does."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode()


def _count(value: int) -> str:
    return f"{value:,}"


def _label(name: str) -> str:
    """Write a name of the code the way people read it.

    >>> _label("failed_to_run")
    'failed to run'
    """
    return name.replace("_", " ")


def _when(at: datetime) -> str:
    """Write a time the way people read it.

    >>> from datetime import UTC
    >>> _when(datetime(2026, 5, 3, 2, 6, tzinfo=UTC))
    '3 May 2026, 02:06 UTC'
    """
    return f"{at.day} {at:%B %Y, %H:%M} UTC"
