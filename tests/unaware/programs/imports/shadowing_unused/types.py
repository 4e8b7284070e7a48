"""Not the standard library's, and not to be executed."""

with open("executed", "a") as file:
    file.write(__name__ + "\n")
raise SystemError(f"{__name__} was imported, but nobody asked for it")
