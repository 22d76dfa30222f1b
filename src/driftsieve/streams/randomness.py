"""Random numbers that depend only on a seed, a purpose and a place in the stream.

A stream that draws its numbers one after the other gives other rows when it is read in other
batches, and cannot be entered in the middle. Here the numbers of a place are found from the place
itself: a fresh generator per block of rows (`generator`), or a hash per row or cell (`uniforms`).
The purpose keeps two parts of a stream apart that were given the same seed. NumPy's global
generator is never touched.
"""

from math import prod
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def generator(seed: int, purpose: str, *place: int) -> np.random.Generator:
    """Return the generator that belongs to a place (such as the number of a block of rows)."""
    return np.random.Generator(np.random.SFC64(_sequence(seed, purpose, *place)))


def uniforms(seed: int, purpose: str, places: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return for each place (a row or a cell number) its own number, uniform in [0, 1).

    This is SplitMix64 (Steele, Lea & Flood 2014) with random access: its n-th output is a hash of
    key + n·GOLDEN.
    """
    bits = places * GOLDEN
    bits += _sequence(seed, purpose).generate_state(1, np.uint64)[0]
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits ^= bits >> np.uint64(shift)
        bits *= np.uint64(factor)
    bits ^= bits >> np.uint64(31)
    bits >>= np.uint64(11)  # the 53 bits that a float64 can hold
    return bits.astype(np.float64) * np.float64(2.0**-53)


def bits(rng: np.random.Generator, *shape: int) -> NDArray[np.uint8]:
    """Return zeros and ones, each as likely: eight from every random byte."""
    size = prod(shape)
    drawn = np.frombuffer(rng.bytes(-(-size // 8)), dtype=np.uint8)
    return np.unpackbits(drawn, count=size).reshape(shape)


def _sequence(seed: int, purpose: str, *place: int) -> np.random.SeedSequence:
    return np.random.SeedSequence(seed, spawn_key=(crc32(purpose.encode()), *place))
