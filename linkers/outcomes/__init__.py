"""What came of every run and idea, and from when on that was known: judgements with their evidence, no I/O."""
