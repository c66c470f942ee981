"""What came of every run and idea, and from when on it was known: judgements with evidence, no I/O."""
