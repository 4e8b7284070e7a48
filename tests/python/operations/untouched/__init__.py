"""The proof that `lt.count` leaves no trace: generated training programs, counted and not.

A program is Python source put together from parts (`parts/`: one file for each dimension) that
`recipe` chooses by number and `source` renders. `proof` trains it twice, once with a count in the
midst, and `fingerprint` and `surroundings` say where the two differ; `forked` gives each program a
process of its own. Nothing here knows how counting is done.

    python -m untouched --programs 500 --from 0      # in tests/python/operations
    python -m untouched --show 17                    # the program itself
    python -m untouched --reduce 17                  # which of its parts it takes
    python -m untouched --each                       # every part alone, in a plain program
"""
