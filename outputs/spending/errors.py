"""What can go wrong with answers that cost money; every message is one sentence and holds no key."""


class SpendingError(Exception):
    """Nothing more can be asked. The message is one sentence: what is wrong and what to do."""


class MissingKeyError(SpendingError):
    """No key was given, so nothing can be asked."""


class OverBudgetError(SpendingError):
    """The next request may cost more than is left."""


class BadAnswerError(Exception):
    """The service answered, but not with what was asked for; asking again may help."""


class RejectedRequestError(BadAnswerError):
    """The service refuses this very request; asking again cannot help, asking for less may."""
