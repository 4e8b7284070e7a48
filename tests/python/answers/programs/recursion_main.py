"""Counts ways up the stairs by recursion, without a memory of what it has counted."""


def ways(steps):
    if steps < 2:
        return 1
    return ways(steps - 1) + ways(steps - 2)  # cause


def main():
    print(ways(34))


if __name__ == "__main__":
    main()
