"""A description of every experiment: from its write-up, its docstring, a model, or its decoded run id."""
