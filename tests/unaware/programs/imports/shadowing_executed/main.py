"""A project whose own files are called like the standard library's, and are the ones it wants."""

import logging
import queue
import random

print(logging.name, logging.log("a line"), queue.put(3), random.choice)
