"""Programs are run by the tests, not imported as tests."""

collect_ignore = ["programs"]
