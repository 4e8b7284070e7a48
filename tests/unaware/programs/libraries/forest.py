"""scikit-learn: a forest grown by joblib's processes and threads, cross validation."""
# needs: sklearn

import warnings

import numpy as np
from joblib import Parallel, delayed
from seen import digest, randomness, seed
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score

warnings.simplefilter("ignore")


def square(number):
    return number**2


if __name__ == "__main__":
    seed(0)
    x, y = make_classification(60, 5, random_state=0)
    forest = RandomForestClassifier(8, random_state=0, n_jobs=2).fit(x, y)
    print(digest(forest.predict_proba(x)))
    print(cross_val_score(RandomForestClassifier(3, random_state=0), x, y, cv=3, n_jobs=2))
    for backend in ("loky", "multiprocessing", "threading"):
        print(backend, Parallel(2, backend=backend)(delayed(square)(n) for n in range(6)))
    print(digest(np.sort(forest.feature_importances_)), randomness())
