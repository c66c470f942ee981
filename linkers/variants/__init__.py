"""Which source each run executed: one module a tier, and `cascade`, which takes the first answer."""
