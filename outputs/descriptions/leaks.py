"""Words that tell what came of an experiment: a description that holds them gives the future away."""

import re

_TELLING = re.compile(
    r"""
      \b (?: val(?:idation)? | test | train(?:ing)? ) [\s_-]? loss \s*
          (?: [:=<>\u2264\u2265~\u2248] | (?:of|is|was|at|to|under|below|reach\w*|fell|drop\w*|ended) \b )
    | \b (?: loss | target | baseline | record ) \b [^.;]{0,40} \b 3\.\d{2,}
    | \b 3 \. 2[0-9]\d* \b
    | \b steps? [\s_-]* to [\s_-]* (?: 3[._]28 | target | threshold ) \b
    | \b succe(?: ed(?:s|ed)? | ss(?:ful(?:ly)?)? ) \b
    | \b (?: fail(?:s|ed|ure|ing)? | diverge[sd]? | diverging | crash(?:es|ed)? ) \b
    | \b (?: cancel(?:l)?ed | preempted | timed [ ] out ) \b
    | \b (?: improve[sd] | improvement | regress(?:es|ed|ion)? | beat(?:s|en)? | worse | worsens? ) \b
    | \b (?: out | under ) perform(?:s|ed)? \b
    | \b (?: neutral [ ] result | no [ ] (?:gain|benefit|improvement) | speed-?up ) \b
    | \b (?: better | faster | slower ) [ ] than \b
    | \b (?: reach(?:es|ed)? | hit(?:s|ting)? | cross(?:es|ed)? | miss(?:es|ed)? | attain(?:s|ed)?
        | achiev(?:es|ed) ) \b [^.;]{0,40}
        \b (?: target | threshold | loss | goal | record | baseline | step ) \b
    | \b (?: verdict | final [ ] (?:loss|result) | results? [ ] (?:show|in|was|were|is) | turned [ ] out ) \b
    | \b (?: did [ ] not [ ] (?:help|work) | confirmed | refuted | wins? | won | lost ) \b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SAMPLE_LINE = re.compile(r"\bstep:\d{1,9}/\d{1,9}\b|\bval_loss:", re.IGNORECASE)

_HEDGING = re.compile(
    r"\b(?:may|might|could|possibly|probably|perhaps|presumably|likely|seems?|appears?|apparently|suggests?|"
    r"unclear|unknown|I think|not sure)\b",
    re.IGNORECASE,
)


def find_leak(text: str) -> str | None:
    """Find the words of a text that tell an outcome.

    It rather finds too much than too little: a description does without any of these words.

    >>> find_leak("Tail EMA of the weights, decay 0.999, from step 2000; 3025 training steps.")
    >>> find_leak("A tail EMA that reaches the target earlier."), find_leak("Ended at 3.279.")
    ('reaches the target', '3.279')
    """
    match = _TELLING.search(text) or _SAMPLE_LINE.search(text)
    return match.group().strip() if match else None


def find_hedging(text: str) -> str | None:
    """Find the word by which a text takes back what it says.

    >>> find_hedging("This may change the momentum."), find_hedging("Changes the momentum.")
    ('may', None)
    """
    match = _HEDGING.search(text)
    return match.group() if match else None


def without_sample_lines(text: str) -> str:
    r"""Drop lines that show what a log looks like: their losses are nobody's, but read like an outcome.

    >>> without_sample_lines("Muon.\nstep:3000/3000 val_loss:3.27512\nEnd.")
    'Muon.\nEnd.'
    """
    return "\n".join(line for line in text.split("\n") if not _SAMPLE_LINE.search(line))
