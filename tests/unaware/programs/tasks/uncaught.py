"""Exceptions of tasks that nobody awaits, in debug mode with its tracebacks of creation."""

import asyncio
import gc
import logging
import warnings

logging.basicConfig(format="%(name)s %(levelname)s %(message)s")
warnings.simplefilter("always")


async def fails():
    raise RuntimeError("nobody asks")


async def never_awaited():
    pass


async def main():
    task = asyncio.create_task(fails(), name="fails")
    await asyncio.sleep(0)
    del task
    gc.collect()
    never_awaited()
    loop = asyncio.get_running_loop()
    loop.call_soon(lambda: 1 / 0)
    await asyncio.sleep(0)
    print(loop.get_debug())


asyncio.run(main(), debug=True)
