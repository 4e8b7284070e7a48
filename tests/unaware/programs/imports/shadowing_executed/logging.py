"""The project's own."""

name = "own logging"


def log(text):
    return f"own {text}"
