"""Proposals against what is known: the published scoring systems."""
