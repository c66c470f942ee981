"""Reader of a candidate: the Markdown file in which a proposer states one idea."""

import os
from dataclasses import dataclass
from pathlib import Path

from outputs.descriptions.ladder import tidy
from parsers.kinds import FileKind
from parsers.lines import MAX_TEXT_BYTES, Place, decode
from parsers.markdown import Document, Section, parse_markdown

MIN_PROPOSAL_CHARS = 50
"""A shorter proposal states no mechanism."""

MAX_BODY_CHARS = 1_500
"""What of a body is embedded, as published."""

MAX_TITLE_CHARS = 300
"""What of a title is shown and embedded."""

_PROPOSAL = "proposal"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One proposal.

    Attributes:
        path: Where it was read from, as the caller named it.
        title: Its title; empty where it has none.
        body: All of it but the title's heading.
        text: What is embedded: title and the first `MAX_BODY_CHARS` characters of the body, in the normal
            form of the dataset's descriptions. An invalid candidate has one too, which may be empty.
        invalid_reason: Why it is no proposal, as a sentence; None for a valid one.
    """

    path: str
    title: str
    body: str
    text: str
    invalid_reason: str | None = None

    @property
    def is_valid(self) -> bool:
        """Whether it can be judged."""
        return self.invalid_reason is None


def read_candidate(path: str | Path) -> Candidate:
    """Read a candidate. Whatever is wrong with the file makes it invalid, with the reason.

    Args:
        path: A Markdown file.
    """
    name = str(path)
    try:
        # Opening a pipe would wait for a writer.
        if not Path(path).is_file():
            return _unreadable(name, "there is no such file")
        with Path(path).open("rb") as file:
            data = file.read(MAX_TEXT_BYTES + 1)
    except OSError as error:
        return _unreadable(name, os.strerror(error.errno) if error.errno else type(error).__name__)
    except ValueError:
        return _unreadable(name, "its name holds a NUL")
    if len(data) > MAX_TEXT_BYTES:
        return Candidate(name, "", "", "", f"The file has more than {MAX_TEXT_BYTES:,} bytes.")
    unusable = Place(FileKind.IDEA, name, data).unusable()
    if unusable is not None:
        return Candidate(name, "", "", "", unusable.detail)
    return parse_candidate(decode(data), name)


def parse_candidate(text: str, path: str = "") -> Candidate:
    r"""Read a candidate from its text.

    >>> parse_candidate("Slow decay\n==========\n\n## Proposal\n\nDecay slowly.").invalid_reason
    'Its section `## Proposal` has 13 characters and needs at least 50.'
    >>> parse_candidate("# Slow decay\n\n## Proposal\n\n" + 7 * "Decay slowly. ").title
    'Slow decay'

    Args:
        text: The Markdown.
        path: What to call it.
    """
    document = parse_markdown(text)
    heading = next((each for each in document.sections if each.level == 1 and each.heading), None)
    title = tidy(heading.heading)[:MAX_TITLE_CHARS].rstrip() if heading else ""
    body = _body(document, heading)
    embedded = f"{title}\n\n{tidy(body)[:MAX_BODY_CHARS]}".strip()
    return Candidate(path, title, body, embedded, _complaint(title, document.sections))


def _unreadable(path: str, why: str) -> Candidate:
    return Candidate(path, "", "", "", f"The file cannot be read: {why}.")


def _body(document: Document, title: Section | None) -> str:
    if title is None:
        return document.text(1, document.line_end)
    above, below = document.lines[: title.line_start - 1], document.lines[title.heading_end :]
    return "\n".join((*above, *below)).strip("\n ")


def _complaint(title: str, sections: tuple[Section, ...]) -> str | None:
    if not title:
        return "It has no title: its first heading must be a line `# Title`."
    proposals = [each.text for each in sections if each.level == 2 and each.heading.casefold() == _PROPOSAL]
    if not proposals:
        return "It has no section `## Proposal`."
    longest = max(len(text.strip()) for text in proposals)
    if longest < MIN_PROPOSAL_CHARS:
        return f"Its section `## Proposal` has {longest} characters and needs at least {MIN_PROPOSAL_CHARS}."
    return None
