"""What keeps a proposal set from being scored at all."""


class ScoringError(Exception):
    """Nothing can be scored. The message is one sentence: what is wrong and what to do."""
