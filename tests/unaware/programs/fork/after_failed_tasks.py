"""A child that collects garbage after its parent's tasks failed and nobody asked them why."""

import asyncio
import gc
import os
import sys


async def fails(number):
    await asyncio.sleep(0)
    raise OSError(number, "a lost connection")


async def main():
    loop = asyncio.get_running_loop()
    tasks = [asyncio.create_task(fails(number), name=f"fails-{number}") for number in range(3)]
    pending = asyncio.create_task(asyncio.sleep(1000), name="pending")
    await asyncio.wait(tasks)
    pid = os.fork()
    if pid == 0:
        handled = []
        loop.set_exception_handler(lambda loop, context: handled.append(context["message"]))
        del tasks
        gc.collect()
        print("child", len(handled), handled[:1], flush=True)
        os._exit(0)
    print("parent", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
    pending.cancel()
    for task in tasks:
        print(repr(task.exception()))


asyncio.run(main())
sys.exit(4)
