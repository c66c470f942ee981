"""Proposals against a snapshot: what a proposer is given, how its candidates are judged and ranked."""
