"""What these tests share stands beside them."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from warm import Warm

# JAX has as many devices as it is told before it makes the first array, wherever that is.
os.environ["JAX_NUM_CPU_DEVICES"] = "4"


@pytest.fixture(scope="session")
def warm(tmp_path_factory):
    """An interpreter with torch, to be forked."""
    warm = Warm(tmp_path_factory.mktemp("warm"))
    yield warm
    warm.close()
