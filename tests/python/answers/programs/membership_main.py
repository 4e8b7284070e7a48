"""Removes doubles by looking each up in a list."""


def main():
    seen = []
    for number in range(20_000):
        key = number * 7919 % 9_000
        if key not in seen:  # cause
            seen.append(key)
    print(len(seen))


if __name__ == "__main__":
    main()
