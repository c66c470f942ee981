"""Records to links and judgements, each with its evidence: pure functions, no I/O."""
