"""Whether a finished dataset keeps its promises: named checks that return the rows which break it."""
