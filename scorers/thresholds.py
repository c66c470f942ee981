"""The similarity from which on two texts count as one idea."""

PUBLISHED_THRESHOLD = 0.75

DEFAULT_THRESHOLD = PUBLISHED_THRESHOLD
"""What is in use where a caller names none."""
