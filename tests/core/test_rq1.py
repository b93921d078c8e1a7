"""The paper's RQ1 grid: 10,010 windows, 30,030 comparisons with enumeration in long double."""

import numpy as np
import pytest

from shapwin import Frames, Summary, closed_form, rolling

from .oracle import enumerated

SIZES = range(2, 13)
SELECTIVITIES = (0, 0.25, 0.5, 0.75, 1)
WINDOWS = 91
BOUND = 1e-13


def stream(distribution, size, seed):
    rng = np.random.default_rng(seed)
    length = size + WINDOWS - 1
    y = rng.normal(size=length) if distribution == "normal" else rng.uniform(-100, 100, length)
    return y, rng.permutation(length)


@pytest.mark.parametrize("distribution", ["normal", "uniform"])
@pytest.mark.parametrize("statistic", ["avg", "var_pop", "var_samp"])
def test_grid(distribution, statistic):
    compared, worst_tuple, worst_group = 0, 0.0, 0.0
    for size in SIZES:
        for cell, selectivity in enumerate(SELECTIVITIES):
            y, order = stream(distribution, size, 100 * size + cell)
            member = order < round(selectivity * len(y))
            begin = np.arange(WINDOWS)
            rows = begin[:, None] + np.arange(size)
            nu, phi = enumerated(y[rows], statistic)
            scale = np.maximum(np.abs(phi).max(axis=1), np.abs(nu))

            total, _ = Frames.of_rows(y, member).answer(begin, begin + size)
            one = Summary(1, 0.0, 0.0, y[rows])
            column = Summary(*(s[:, None] for s in (total.m, total.a, total.b, total.center)))
            tuples = closed_form(statistic, column, one).phi
            worst_tuple = max(worst_tuple, float((np.abs(tuples - phi).max(axis=1) / scale).max()))

            groups = (phi * member[rows]).sum(axis=1)
            got = rolling(y, member, size=size, statistic=statistic)[size - 1 :]
            worst_group = max(worst_group, float((np.abs(got - groups) / scale).max()))
            compared += WINDOWS
    assert compared == 5005  # times two distributions and three statistics: 30,030
    assert worst_tuple <= BOUND
    assert worst_group <= BOUND
