"""Answers that cost money: what they cost, how much may be spent, and where they are kept."""
