"""A crawler in task groups: one failure cancels the others, the group tells of all."""
# python: 3.11

import asyncio
import traceback

cancelled = []


async def fetch(number):
    try:
        await asyncio.sleep(0 if number == 2 else 1000)
        raise ConnectionError(f"page {number}")
    except asyncio.CancelledError:
        cancelled.append(number)
        if number == 1:
            raise ValueError("while cancelling") from None
        raise


async def main():
    try:
        async with asyncio.TaskGroup() as group:
            for number in range(4):
                group.create_task(fetch(number), name=f"fetch-{number}")
    except* ConnectionError as errors:
        traceback.print_exception(errors)
    except* ValueError as errors:
        print(errors.exceptions)
    print(asyncio.all_tasks() == {asyncio.current_task()})


asyncio.run(main())
print(sorted(cancelled))
