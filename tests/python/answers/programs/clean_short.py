"""Does little."""

print(sum(n * n for n in range(300_000)))
