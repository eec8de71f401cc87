"""The points at which formulas are compared: the same in every process, of all signs and sizes, where the docstrings say."""

from __future__ import annotations

import pytest

from rewardkit.math.prove import points

NAMES = ("x", "y", "z")


def test_real_points_lie_in_their_ranges():
    found = points.points(NAMES)
    assert len(found) == len(points.RANGES)
    for point, (low, high) in zip(found, points.RANGES, strict=True):
        assert all(value.imag == 0 and low <= float(value.real.mid()) <= high for value in point.values())
        assert len({float(value.real.mid()) for value in point.values()}) == len(NAMES)


def test_rational_points_have_all_signs_and_no_factor_in_common():
    found = list(points.rational_points(NAMES))
    signs = {tuple(value > 0 for value in point.values())[:2] for point in found}
    assert signs == {(True, True), (False, False), (True, False), (False, True)}
    sizes = [abs(value.p) for point in found for value in point.values()]
    assert max(sizes) > 50_000
    assert min(sizes) < 200
    assert all(value.q in points._PRIMES for point in found for value in point.values())
    assert all(prime % factor for prime in points._PRIMES for factor in range(2, 19))


def test_whole_numbers_are_small_large_and_negative():
    one = [point["n"] for point in points.integer_points(("n",))]
    assert set(range(31)) <= set(one)
    assert any(number >= 900 for number in one)
    assert any(number < 0 for number in one)
    parities = {tuple(number % 2 for number in point.values()) for point in points.integer_points(("n", "m"))}
    assert parities == {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_edges_have_their_neighbours():
    found = {point["n"] for point in points.edge_points(("n",), (17,))}
    assert {31, 32, 33, 99, 100, 101, 16, 17, 18, 34, 35, 50, 51, 52, 2047, 2048, 2049, 10_001} <= found


def test_letters_in_the_plane_have_complex_values():
    found = points.points(("x", "z"), frozenset("z"))
    quadrants = {(bool(point["z"].real > 0), bool(point["z"].imag > 0)) for point in found}
    assert quadrants == {(True, True), (True, False), (False, True), (False, False)}
    assert all(point["x"].imag == 0 for point in found)


@pytest.mark.parametrize("steps", [False, True])
def test_jump_points_lie_beyond_the_sizes_and_beside_jumps(steps):
    values = [point["x"].real for point in points.jump_points(("x",), (40,), steps=steps)]
    numbers = [float(value.mid()) for value in values]
    assert any(40 < number <= 120 for number in numbers)
    assert any(-120 <= number < -40 for number in numbers)
    assert any(0 < number < 40 for number in numbers)
    beside = {
        jump for jump in (-40, -1, 0, 0.5, 1, 2, 40, 80) if any(0 < abs(number - jump) < 2**-40 for number in numbers)
    }
    assert beside == ({-40, -1, 0, 0.5, 1, 2, 40, 80} if steps else set())
    assert any(number > 500 for number in numbers) == steps
