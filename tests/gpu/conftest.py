"""What the experiments' own files are for, as modules."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
