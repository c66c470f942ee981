"""What keys and passwords look like, by kind: data for `parsers.secrets`.

No shape fits a bare hash: ids of commits, digests and names of logs are no keys. A key without a shape of its
own counts only behind a word that announces it.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of key.

    Attributes:
        kind: What people call it.
        needles: Texts one of which every such key, or what announces it, begins with.
        pattern: Matches at a needle. Its group `key` is the key; without one all of it is. Every repeat has a
            limit, so that no text can make it slow.
    """

    kind: str
    needles: tuple[bytes, ...]
    pattern: re.Pattern[bytes]


def _shape(kind: str, needles: tuple[str, ...], pattern: str) -> Shape:
    return Shape(kind, tuple(each.encode() for each in needles), re.compile(pattern.encode()))


_ALONE = r"(?<![A-Za-z0-9_])"
_ESCAPED = r"\\{0,4}"
_QUOTE = rf"(?:{_ESCAPED}[\"'])?"
_IS = rf"{_QUOTE}\s{{0,3}}[=:]\s{{0,3}}{_QUOTE}"
_SLASH = rf"{_ESCAPED}/"
_LETTERS_AND_DIGITS = r"(?=[A-Za-z/+=-]{0,99}\d)(?=[\d/+=-]{0,99}[A-Za-z])"
_PEM_END = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_BREAK = r"(?:\s{1,9}|(?:\\{1,4}r)?\\{1,4}n)"
_PEM_LINES = rf"(?:{_BREAK}(?:[A-Za-z0-9+/]{{20,9999}}={{0,2}}|[A-Za-z0-9+/]{{1,19}}={{1,2}})){{0,999}}"
_ANNOUNCING = (
    *("API_KEY", "api_key", "APIKEY", "apikey", "apiKey", "ApiKey", "api-key"),
    *("ACCESS_KEY", "access_key", "AccessKey", "accessKey", "AccountKey"),
    *("SECRET_", "_SECRET", "secret_", "_secret", "_TOKEN", "_token"),
    *("PASSWORD", "password", "PASSWD", "passwd"),
)

SHAPES = (
    _shape(
        "OpenAI or Anthropic key",
        ("sk-",),
        r"(?<![A-Za-z0-9_-])sk-(?:(?:proj|svcacct|admin|service|ant)-[A-Za-z0-9_-]{16,512}"
        r"|(?:[A-Za-z0-9]{1,12}[_-]){0,5}(?:[A-Za-z0-9]{32,256}|(?=[A-Za-z]{0,99}\d)[A-Za-z0-9]{16,31})"
        r"[A-Za-z0-9_-]{0,512})",
    ),
    _shape("Hugging Face token", ("hf_",), _ALONE + r"hf_[A-Za-z0-9]{20,256}(?![A-Za-z0-9_-])"),
    _shape(
        "GitHub token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        _ALONE + r"(?:gh[pousr]_[A-Za-z0-9]{20,512}|github_pat_[A-Za-z0-9_]{20,512})",
    ),
    _shape("GitLab token", ("glpat-",), _ALONE + r"glpat-[A-Za-z0-9_-]{16,512}"),
    _shape("AWS access key", ("AKIA", "ASIA"), _ALONE + r"A(?:KI|SI)A[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _shape(
        "Google key",
        ("AIza", "GOCSPX-", "ya29."),
        _ALONE + r"(?:AIza[A-Za-z0-9_-]{35,256}|(?:GOCSPX-|ya29\.)[A-Za-z0-9_-]{20,512})",
    ),
    _shape("Slack token", ("xox", "xapp-"), _ALONE + r"(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,512}"),
    _shape(
        "webhook",
        ("hooks.slack.com", "discord.com", "discordapp.com"),
        rf"(?:hooks\.slack\.com{_SLASH}(?:services|workflows|triggers)"
        rf"|discord(?:app)?\.com{_SLASH}api{_SLASH}webhooks){_SLASH}(?P<key>(?:{_SLASH}|[A-Za-z0-9_-]){{20,512}})",
    ),
    _shape(
        "JSON web token",
        ("eyJ",),
        _ALONE + r"eyJ[A-Za-z0-9_-]{8,4096}\.eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{8,4096}",
    ),
    _shape("W&B key", ("wandb_v1_",), _ALONE + r"wandb_v1_[A-Za-z0-9_]{20,512}"),
    _shape(
        "W&B key",
        ("wandb", "WANDB", "Wandb", "WandB"),
        r"(?i:wandb)(?:[\s\S]{0,48}?(?i:key|password)|[ .]login)[^0-9A-Za-z\n]{1,12}"
        r"(?P<key>[0-9a-f]{40})(?![0-9A-Za-z])",
    ),
    _shape(
        "token of a package index",
        ("pypi-", "npm_"),
        _ALONE + r"(?:pypi-AgE|npm_)[A-Za-z0-9_-]{30,512}",
    ),
    _shape("Prefect key", ("pnu_", "pnb_"), _ALONE + r"pn[ub]_[A-Za-z0-9]{30,256}"),
    _shape(
        "private key",
        ("-----BEGIN ",),
        rf"-----BEGIN {_PEM_END}(?:(?:(?!-----)[\s\S]){{0,20000}}-----END {_PEM_END}|{_PEM_LINES})",
    ),
    _shape(
        "password in an address",
        ("://", ":\\"),
        rf":{_SLASH}{_SLASH}[^\s/@:\"'<>\\]{{0,64}}:"
        r"(?P<key>[^\s/@:\"'<>\\$*{\[][^\s/@\"'<>\\]{0,127})@(?=[\w.\[-])",
    ),
    _shape(
        "token of a request",
        ("Bearer ", "bearer ", "Authorization", "authorization"),
        rf"(?i:bearer|authorization{_IS}(?:basic|token)) "
        r"(?P<key>(?=[A-Za-z._~+/-]{0,99}\d)[A-Za-z0-9._~+/-]{20,4096}=*)",
    ),
    _shape(
        "key by its name",
        _ANNOUNCING,
        r"(?i:api[_-]?key|access_?key|accountkey|_?secret_?|_token|passw(?:or)?d)"
        rf"(?i:_?(?:access_?)?(?:id|key|value))?{_IS}"
        rf"(?P<key>{_LETTERS_AND_DIGITS}[A-Za-z0-9+][A-Za-z0-9/+=-]{{19,512}})(?=[\"'\s,;)}}&\]\\]|$)",
    ),
)
"""Every kind."""
