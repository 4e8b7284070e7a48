"""What an integration raises when its library isn't installed."""

from __future__ import annotations


def needs(package: str, error: ImportError) -> ImportError:
    """The error that names a package and how to install it."""
    return ImportError(
        f"laptime.integrations needs {package}, which is not installed: pip install {package}",
        name=error.name,
    )
