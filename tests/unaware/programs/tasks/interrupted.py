"""Ctrl-C amid asyncio.run: tasks are cancelled, the interrupt is raised outside."""
# python: 3.11

import asyncio
import os
import signal


async def waits(name):
    try:
        await asyncio.sleep(1000)
    except asyncio.CancelledError:
        print("cancelled", name)
        raise


async def main():
    tasks = [asyncio.create_task(waits(name)) for name in "ab"]
    await asyncio.sleep(0)
    os.kill(os.getpid(), signal.SIGINT)
    await asyncio.gather(*tasks)


try:
    asyncio.run(main())
except KeyboardInterrupt:
    print("interrupted")
    raise
