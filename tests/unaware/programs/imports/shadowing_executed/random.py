"""The project's own."""

choice = "own random"
