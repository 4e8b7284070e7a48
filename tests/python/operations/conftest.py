"""What these tests share stands beside them."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

# JAX has as many devices as it is told before it makes the first array, wherever that is.
os.environ["JAX_NUM_CPU_DEVICES"] = "4"
