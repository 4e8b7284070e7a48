"""An asyncio server that forks inside a task; the child leaves the loop behind."""

import asyncio
import gc
import os


async def child_of_task(number):
    await asyncio.sleep(0)
    pid = os.fork()
    if pid == 0:
        gc.collect()
        os._exit(10 + number)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


async def main():
    print(await asyncio.gather(*(child_of_task(number) for number in range(4))))


asyncio.run(main())
