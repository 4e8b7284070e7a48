"""Logs with the place of the call, by several handlers, with a wrapper that names its caller."""

import logging
import sys

print(sorted(logging.root.manager.loggerDict), logging.root.handlers, logging.lastResort.level)
logging.getLogger("early").warning("before any set-up")
logging.basicConfig(
    stream=sys.stdout,
    level=logging.DEBUG,
    format="%(name)s %(levelname)s %(filename)s:%(lineno)d %(funcName)s %(threadName)s %(message)s",
)
log = logging.getLogger("app.part")


def wrapper(message):
    log.info(message, stacklevel=2)


def work():
    log.debug("direct")
    wrapper("wrapped")
    try:
        1 / 0
    except ZeroDivisionError:
        log.exception("failed", stack_info=True)
    print(log.findCaller()[1:3], logging.getLogger().getEffectiveLevel())


work()
