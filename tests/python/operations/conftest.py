"""What these tests share stands beside them."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from warm import Warm


@pytest.fixture(scope="session")
def warm(tmp_path_factory):
    """An interpreter with torch, to be forked."""
    warm = Warm(tmp_path_factory.mktemp("warm"))
    yield warm
    warm.close()
