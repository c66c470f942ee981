"""What each wave asked of an idea, in words, for whoever is to propose one at a snapshot."""

WAVE_CONSTRAINTS = {
    "v1": (
        "Open search. Find any change of optimizer, schedule or training recipe that brings the 124M "
        "model to a validation loss of 3.28 in fewer steps than the Muon baseline, which takes 3500. "
        "Known methods, new ones, combinations and plain tuning all count. Model, data and batch size "
        "stay as they are."
    ),
    "novelty": (
        "The mechanism must be new. A method that was published before, under whatever name, does not "
        "count, and neither does a change of hyperparameters or of a schedule's length. Each idea has "
        "to pass a check against existing work and a check against the rules before it is run, and is "
        "measured against the 3500-step Muon baseline."
    ),
    "v2": (
        "Build on the best recipes of the first two waves, v1 and novelty, and bring the steps to "
        "3.28 down towards 3000. Combining, refining and pruning what is there is welcome, as long as "
        "the rules on model, data and batch size are kept and the gain holds when it is repeated."
    ),
    "v3": (
        "Start from where v2 ended and from public results below 3000 steps, and go lower. Stack at "
        "most three modifiers on a base recipe; a larger stack needs a reason why each part is there."
    ),
}
"""One text a wave."""
