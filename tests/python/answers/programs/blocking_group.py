"""Tasks of a group, one of which sleeps without giving others a turn."""

import asyncio
import time


class Client:
    async def query(self, number):
        await asyncio.sleep(0.02)
        return self.parse(number)

    def parse(self, number):
        return number * 2


class Slow(Client):
    def parse(self, number):
        time.sleep(0.25)  # cause
        return number * 2


async def serve():
    quick, slow = Client(), Slow()
    async with asyncio.TaskGroup() as group:
        for number in range(8):
            group.create_task(slow.query(number))
            for _ in range(10):
                group.create_task(quick.query(number))


async def main():
    await serve()


asyncio.run(main())
