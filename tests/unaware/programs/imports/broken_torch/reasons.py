"""Why torch can't be imported."""

reason = None


def fail():
    raise reason
