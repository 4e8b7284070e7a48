"""numpy: global and own generators, errors as warnings, saved files, a random walk."""
# needs: numpy

import warnings

import numpy as np
from seen import digest, randomness, seed

warnings.simplefilter("always")
seed(0)
print(digest(np.random.rand(5), np.random.default_rng(1).normal(size=3)), randomness())
print(np.array([1.0, 0.0]) / 0.0)
with np.errstate(divide="raise"):
    try:
        np.ones(1) / 0
    except FloatingPointError as error:
        print(error)
a = np.arange(1 << 20, dtype=np.float64).reshape(1024, 1024)
print(digest(np.linalg.svd(a[:40, :40])[1], np.fft.fft(a[0]), a @ a[:, :1]))
np.savez("arrays.npz", a=a[:2])
np.save("array.npy", a[:2])
print(np.load("array.npy", mmap_mode="r")[1, 1], np.get_printoptions()["precision"], np.geterr())
