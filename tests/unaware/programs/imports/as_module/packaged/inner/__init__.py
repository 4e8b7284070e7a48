"""A part."""


def where():
    return __name__
