"""A light."""

nn = None


def ignite(what):
    return f"{what} burns"
