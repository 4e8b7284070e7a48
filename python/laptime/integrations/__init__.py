"""Connections to other programs' frameworks, each imported only when asked for."""
