"""Cancellations and time limits at every depth, shields, and what stays uncancelled."""

import asyncio


async def inner(log):
    try:
        await asyncio.sleep(1000)
    except asyncio.CancelledError as error:
        log.append(("inner", error.args))
        raise
    finally:
        await asyncio.sleep(0)
        log.append("cleaned")


async def main():
    log = []
    task = asyncio.create_task(inner(log))
    await asyncio.sleep(0)
    task.cancel("no longer wanted")
    try:
        await task
    except asyncio.CancelledError as error:
        log.append(("outer", error.args))
    try:
        await asyncio.wait_for(inner(log), 0.01)
    except asyncio.TimeoutError as error:
        log.append(repr(error))
    shielded = asyncio.create_task(inner(log))
    waiting = asyncio.ensure_future(asyncio.shield(shielded))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])
    log.append((waiting.cancelled(), shielded.done()))
    left_alone = asyncio.create_task(inner(log), name="left alone")
    await asyncio.sleep(0)
    for line in log:
        print(line)
    log.clear()
    return log, left_alone


log, left_alone = asyncio.run(main())
print(log, left_alone.cancelled())
