"""A small server and its clients over a local socket, and its graceful end on SIGTERM."""

import asyncio
import os
import signal


async def serve(reader, writer):
    while line := await reader.readline():
        writer.write(line[::-1].strip() + b"\n")
        await writer.drain()
    writer.close()


async def ask(path, word):
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(word + b"\n")
    answer = await reader.readline()
    writer.close()
    await writer.wait_closed()
    return answer


async def main():
    path = os.path.join(os.environ["TMPDIR"], "socket")
    server = await asyncio.start_unix_server(serve, path)
    print(await asyncio.gather(*(ask(path, word) for word in (b"abc", b"level", b"xy"))))
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    os.kill(os.getpid(), signal.SIGTERM)
    await stopped.wait()
    server.close()
    await server.wait_closed()
    if os.path.exists(path):  # Python 3.13 has removed it.
        os.unlink(path)
    print("ended")


asyncio.run(main())
