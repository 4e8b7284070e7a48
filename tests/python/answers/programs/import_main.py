"""Computes one quantile, with a library that is imported where it is needed."""


def main():
    values = sorted(n * 7919 % 1000 for n in range(1000))
    import scipy.stats  # cause

    print(scipy.stats.norm.ppf(values[10] / 1000 + 0.1))


if __name__ == "__main__":
    main()
