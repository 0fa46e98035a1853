"""What can go wrong on this machine, said so that a person can go on."""

from magpie.errors import MagpieError


class LocalProblem(MagpieError):
    """This machine does not let the embedded stack run; the message says what, which, next."""
