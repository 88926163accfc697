"""Records Krippendorff's alpha and exact sign tests, for package metrics/human to compare with.

    python3 -m venv /tmp/parity
    /tmp/parity/bin/pip install krippendorff==0.9.0 scipy==1.17.1
    /tmp/parity/bin/python testdata/parity/human.py

It writes human.json beside itself: tables of invented ordinal scores 0 to 2, a row a unit and a column a reader, -1 where there is none, with the alpha
of the package krippendorff; and numbers of sentences in which one of two systems is above the other, with scipy's two-sided binomial test.
"""

import json
import os
import random

import krippendorff
import numpy as np
from scipy import stats

HERE = os.path.dirname(os.path.abspath(__file__))


def table(rng, units, readers, noise, missing):
    out = []
    for _ in range(units):
        truth = rng.choice([0, 1, 2, 2])
        out.append([-1 if rng.random() < missing else rng.randint(0, 2) if rng.random() < noise else truth for _ in range(readers)])
    return out


def alpha(units):
    data = np.array([[np.nan if v < 0 else v for v in row] for row in units]).T
    return float(krippendorff.alpha(reliability_data=data, value_domain=[0, 1, 2], level_of_measurement="ordinal"))


def main():
    rng = random.Random(7)
    shapes = [(12, 2, 0.1, 0), (40, 2, 0.5, 0), (60, 3, 0.3, 0.2), (30, 5, 0.9, 0.4), (200, 2, 0.05, 0.1), (25, 4, 0, 0.3)]
    alphas = [{"units": (units := table(rng, *shape)), "alpha": alpha(units)} for shape in shapes]
    counts = [(0, 0), (1, 0), (0, 5), (7, 7), (12, 3), (60, 41), (200, 150), (3, 30)]
    signs = [{"more": m, "less": l, "p": float(stats.binomtest(m, m + l).pvalue) if m + l else 1.0} for m, l in counts]
    with open(os.path.join(HERE, "human.json"), "w") as f:
        json.dump({"alphas": alphas, "signs": signs}, f, separators=(",", ":"))
        f.write("\n")


main()
