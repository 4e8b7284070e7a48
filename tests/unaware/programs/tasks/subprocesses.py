"""Programs run by asyncio: their output line by line, their codes, one that is killed."""

import asyncio
import sys


async def main():
    code = "import sys\nfor line in sys.stdin: print(line.strip().upper(), flush=True)\nsys.exit(3)"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    for word in ("one", "two"):
        process.stdin.write(f"{word}\n".encode())
        await process.stdin.drain()
        print(await process.stdout.readline())
    process.stdin.close()
    print(await process.wait())
    process = await asyncio.create_subprocess_shell("echo out; echo err >&2; exit 4", stderr=-1)
    print(await process.communicate(), process.returncode)
    process = await asyncio.create_subprocess_exec("sleep", "1000")
    process.kill()
    print(await process.wait())


asyncio.run(main())
