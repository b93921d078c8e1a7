import numpy as np
import pytest

from shapwin import harmonic, harmonic2

# ψ(N+1) + γ and π²/6 − ψ′(N+1) in 60-digit arithmetic.
FAR = {
    16: (3.3807289932289932, 1.584346533444987),
    10**5: (12.090146129863427, 1.6449240668982263),
    10**6: (14.392726722865724, 1.6449330668487265),
    10**9: (21.300481502347942, 1.6449340658482265),
    2**40: (28.3031028872998, 1.644934066847317),
    10**15: (35.11599205981222, 1.6449340668482255),
    2**53: (37.31401623457863, 1.6449340668482264),
}


def ulps(got, exact):
    return np.abs(np.asarray(got, dtype=np.longdouble) - exact) / np.spacing(
        np.maximum(np.asarray(got, dtype=np.float64), 1e-300)
    )


def test_every_n_up_to_ten_thousand_against_direct_sums():
    n = np.arange(10_001)
    k = np.arange(1, 10_001, dtype=np.longdouble)
    direct = np.concatenate([[0], np.cumsum(1 / k)]), np.concatenate([[0], np.cumsum(1 / k**2)])
    assert ulps(harmonic(n), direct[0]).max() <= 3
    assert ulps(harmonic2(n), direct[1]).max() <= 3


@pytest.mark.parametrize("n", FAR)
def test_far_out(n):
    assert ulps(harmonic(n), FAR[n][0]) <= 3
    assert ulps(harmonic2(n), FAR[n][1]) <= 3
    assert harmonic(np.array([float(n)]))[0] == harmonic(n)


def test_shapes_and_nan():
    assert isinstance(harmonic(5), float)
    assert harmonic(np.ones((2, 3))).shape == (2, 3)
    assert np.isnan(harmonic([np.nan, 20.0])[0])
    assert harmonic([]).shape == (0,)
    assert np.array_equal(harmonic([20, 30]), [harmonic(20), harmonic(30)])
