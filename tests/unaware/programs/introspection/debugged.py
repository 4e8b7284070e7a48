"""pdb, told by its standard input where to stop and what to show."""

import pdb


def work(number):
    total = 0
    for step in range(number):
        total += step
    return total


def main():
    debugger = pdb.Pdb(nosigint=True, readrc=False)
    debugger.set_trace()
    print(work(4))
    print("end")


main()
