"""A run id in a sentence that a researcher would accept; what nobody explains is quoted."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from outputs.descriptions.constants_diff import Change, Difference
from outputs.descriptions.pieces import Piece, PieceKind, cut_name, explained_by
from outputs.descriptions.values import read_value, same_digits
from outputs.descriptions.vocabulary import (
    ADJECTIVES,
    KNOBS,
    LEADING,
    NUMBER_AFTER,
    PHRASES,
    PLACES,
    WORDS,
)
from parsers.run_ids import RunName
from parsers.scopes import Scope

MAX_SHOWN_CHANGES = 6

_TERMS: Mapping[str, str] = {
    **WORDS,
    **{name.replace(" ", ""): phrase for name, phrase in PHRASES.items()},
}
_SWEPT = [
    [word] for word in ("beta", "betas", "lr", "wd", "eps", "ns", "mu", "mom", "momentum", "alpha", "gamma")
]
"""A hyperparameter without a value that is all a name says of a mechanism: the values behind it are tried."""

_SPACED = (PieceKind.TERM, PieceKind.PLACE, PieceKind.NUMBER)


@dataclass(slots=True)
class Decoded:
    """What a run id says.

    Attributes:
        mechanisms: What is changed, a phrase each.
        settings: Hyperparameters with their values.
        parents: What the run starts from.
        labels: Names of recipes, quoted.
        unknown: Parts that nobody explains, as they stand in the name.
        steps: How long it trains.
        changes: Constants that differ from those of a relative, in words.
    """

    mechanisms: list[str] = field(default_factory=list)
    settings: list[str] = field(default_factory=list)
    parents: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)

    def sentence(self) -> str:
        """Say it in one sentence, and the changed constants in a second one."""
        labels = "recipe " + _listed([f"`{label}`" for label in self.labels]) if self.labels else ""
        unknown = _listed([f"`{part}`" for part in self.unknown])
        start = [f"starting from {_listed(self.parents)}"] if self.parents else []
        main = [*self.mechanisms, *self.settings, *start]
        if labels:
            main.insert(len(self.mechanisms), labels)
        if unknown:
            main.append(f"with {unknown}" if main else unknown)
        clauses = [", ".join(main), ", ".join(self.steps)]
        text = "; ".join(clause for clause in clauses if clause) or "A run without a name"
        sentences = [_capital(text) + "."]
        if self.changes:
            sentences.append("; ".join(self.changes) + ".")
        return " ".join(sentences)


def decode(
    name: RunName,
    scope: Scope,
    ideas: Mapping[str, str],
    difference: Difference | None = None,
    scheduled_steps: int | None = None,
) -> Decoded:
    """Say what a run id says.

    Args:
        name: The run id, taken apart.
        scope: Its scope.
        ideas: What the scope's ideas are, by the names that run ids may use for them.
        difference: What its source changes, where that is known.
        scheduled_steps: Steps of its schedule, where the log tells.

    >>> from parsers.run_ids import parse_run_id
    >>> scope = Scope("claude-code", "v3")
    >>> decode(parse_run_id("tailema-b0999-s2000-ts3025-s0"), scope, {}).sentence()
    'Tail EMA of the weights, decay 0.999, from step 2000; 3025 training steps.'
    >>> decode(parse_run_id("loo03-no-muwarmup-s1"), scope, {}).sentence()
    'Leave-one-out cell 03, without momentum warmup.'
    >>> decode(parse_run_id("v12-cm0225-ts3000"), scope, {}).sentence()
    'Recipe `v12`, with `cm0225`; 3000 training steps.'
    """
    pieces = cut_name(name, scope.wave, ideas.__contains__)
    changes = list(difference.changes) if difference else []
    decoded = Decoded(steps=list(_steps(name, pieces, scheduled_steps)))
    _explain(pieces, ideas, changes, decoded)
    if (
        len(decoded.mechanisms) == 1
        and [piece.key for piece in pieces if piece.kind in _SPACED][:1] in _SWEPT
    ):
        decoded.mechanisms[0] += " sweep"
    if name.start_step is not None:
        decoded.settings.append(f"from step {name.start_step}")
    if difference and changes:
        shown = [change.words() for change in changes[:MAX_SHOWN_CHANGES]]
        more = len(changes) - len(shown)
        shown += [f"{more} more constants"] if more else []
        decoded.changes = [f"Against {difference.base}: {_listed(shown)}"]
    is_silent = not (decoded.mechanisms or decoded.settings or decoded.labels or decoded.unknown)
    if is_silent and "horizon" in name.stem.lower():
        decoded.mechanisms.append(_TERMS["horizon"])
    elif is_silent and not decoded.parents:
        decoded.unknown += [_quotable(name.stem)] if name.stem.strip() else []
    return decoded


def _explain(
    pieces: tuple[Piece, ...], ideas: Mapping[str, str], changes: list[Change], decoded: Decoded
) -> None:
    """Sort the pieces into mechanisms, settings and what nobody explains."""
    is_parent = is_negated = False
    for at, piece in enumerate(pieces):
        target = decoded.parents if is_parent else decoded.mechanisms
        if piece.kind == PieceKind.PARENT:
            is_parent = True
        elif piece.kind == PieceKind.NOT:
            is_negated = True
        elif piece.kind == PieceKind.IDEA:
            target.append(_negated(ideas[piece.key], is_negated))
            is_negated = False
        elif piece.kind == PieceKind.NUMBER and (setting := _bare_setting(pieces, at, changes)):
            decoded.settings.append(setting)
        elif piece.kind in _SPACED:
            is_first = at == 0 or not _belongs(pieces[at - 1], piece)
            words = _words(pieces, at)
            if is_first or not target:
                target.append(_negated(words, is_negated))
                is_negated = False
            else:
                target[-1] += f" {words}"
        else:
            _explain_rest(pieces, at, changes, decoded, is_negated=is_negated)
            is_negated = False


def _explain_rest(
    pieces: tuple[Piece, ...], at: int, changes: list[Change], decoded: Decoded, *, is_negated: bool
) -> None:
    piece = pieces[at]
    if piece.kind == PieceKind.LABEL:
        decoded.labels.append(piece.raw)
    elif piece.kind == PieceKind.CELL:
        number = piece.key.replace("loo", "")
        decoded.mechanisms.append("leave-one-out" + (f" cell {number}" if number else ""))
    elif piece.kind in (PieceKind.KNOB, PieceKind.UNKNOWN):
        setting = _setting(pieces, at, changes)
        if setting is not None:
            decoded.settings.append(setting)
        elif is_negated:
            decoded.mechanisms.append(f"without `{_quotable(piece.raw)}`")
        else:
            _quote(pieces, at, decoded)


def _quote(pieces: tuple[Piece, ...], at: int, decoded: Decoded) -> None:
    """Quote a part; neighbours that nobody explains either are one quotation."""
    piece, before = pieces[at], pieces[at - 1] if at else None
    is_neighbour = (
        before is not None
        and before.kind == PieceKind.UNKNOWN == piece.kind
        and not (before.value or piece.value)
    )
    if is_neighbour and decoded.unknown and before is not None:
        joint = "" if before.segment == piece.segment else "-"
        decoded.unknown[-1] += joint + _quotable(piece.raw)
    else:
        decoded.unknown.append(_quotable(piece.raw))


def _belongs(before: Piece, piece: Piece) -> bool:
    """Whether a piece goes on the phrase of the one before it."""
    if before.kind not in (*_SPACED, PieceKind.IDEA):
        return False
    if piece.kind == PieceKind.TERM:
        return before.key in LEADING or (
            before.segment == piece.segment and " " not in _phrase(before) + _phrase(piece)
        )
    return True


def _phrase(piece: Piece) -> str:
    """The words of a piece that stands before a mechanism, or is one."""
    return _TERMS.get(piece.key) or ADJECTIVES.get(piece.key) or " "


def _words(pieces: tuple[Piece, ...], at: int) -> str:
    piece = pieces[at]
    if piece.kind == PieceKind.NUMBER:
        return piece.raw if len(piece.raw) == 1 else f"`{piece.raw}`"
    if piece.kind == PieceKind.TERM:
        return _TERMS[piece.key]
    after = pieces[at + 1] if at + 1 < len(pieces) else None
    leads = after is not None and after.kind == PieceKind.TERM and after.segment == piece.segment
    return ADJECTIVES.get(piece.key, PLACES[piece.key]) if leads else PLACES[piece.key]


def _negated(words: str, is_negated: bool) -> str:
    return f"without {words}" if is_negated else words


def _setting(pieces: tuple[Piece, ...], at: int, changes: list[Change]) -> str | None:
    """Say a hyperparameter with its value; None if nobody knows what it is."""
    piece = pieces[at]
    for change in changes:
        if _names(change, piece) and change.after is not None:
            changes.remove(change)
            return change.words()
    knob = KNOBS.get(piece.key)
    if piece.key in PLACES:
        return f"{ADJECTIVES.get(piece.key, piece.key)} `{_quotable(piece.value)}`"
    phrase = explained_by(pieces, at) or (knob.phrase if knob else None)
    if phrase is None or not piece.value:
        return None
    low, _, high = piece.value.partition("to")
    is_small = knob is not None and knob.is_small
    values = [read_value(part, is_small=is_small) for part in (low, high) if part]
    limit = knob.limit if knob else None
    if any(value is None or (limit is not None and abs(float(value)) > limit) for value in values):
        return f"{phrase} `{_quotable(piece.raw)}`"
    return f"{phrase} {values[0]}" if len(values) == 1 else f"{phrase} from {values[0]} to {values[1]}"


def _bare_setting(pieces: tuple[Piece, ...], at: int, changes: list[Change]) -> str | None:
    """Say what a bare number behind a mechanism sets; None if nobody knows."""
    piece, before = pieces[at], pieces[at - 1] if at else None
    if before is None or before.segment != piece.segment or len(piece.value) < 2:
        return None
    meant = next((word for word in NUMBER_AFTER if before.key.endswith(word)), None)
    value = read_value(piece.value)
    if meant is not None and value is not None:
        return f"{NUMBER_AFTER[meant]} {value}"
    same = [each for each in changes if each.after is not None and same_digits(piece.value, each.after)]
    if len(same) == 1:
        changes.remove(same[0])
        return same[0].words()
    return f"set to `{_quotable(piece.raw)}`" if before.kind == PieceKind.IDEA else None


def _names(change: Change, piece: Piece) -> bool:
    """Whether a part of the name tells this change: the same first letter and the same digits."""
    name = change.name.rsplit(".", 1)[-1].lower()
    return (
        bool(piece.value)
        and change.after is not None
        and name[0] == piece.key[0]
        and same_digits(piece.value, change.after)
    )


def _steps(name: RunName, pieces: Sequence[Piece], scheduled_steps: int | None) -> Iterator[str]:
    glued = [piece for piece in pieces if piece.kind == PieceKind.STEP and piece.raw == piece.value]
    train_steps = name.train_steps or (int(glued[-1].value) if glued else None)
    is_stopped = name.stop_step is not None and not (train_steps and name.stop_step > train_steps)
    horizon = name.horizon or (scheduled_steps if is_stopped and scheduled_steps != name.stop_step else None)
    if horizon is not None:
        yield f"schedule of {horizon} steps"
    if is_stopped:
        yield f"stopped at step {name.stop_step}" if horizon else f"{name.stop_step} training steps"
    elif train_steps is not None:
        yield f"{train_steps} training steps"
    elif horizon is None and scheduled_steps is not None:
        yield f"{scheduled_steps} training steps"


def _quotable(text: str) -> str:
    """Keep a quotation to one line of printable characters."""
    return "".join(letter if letter.isprintable() and letter != "`" else "?" for letter in text)[:200]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1] if parts else ""
