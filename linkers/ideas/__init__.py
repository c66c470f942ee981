"""Which idea each run tested: five tiers of evidence and a resolver that weighs them."""
