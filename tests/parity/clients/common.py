"""What the scripts of the clients share: named checks that go on after a failure."""
import sys

import numpy

SKIPPED = 77


def preloaded_libraries():
    with open("/proc/self/maps") as maps:
        return sorted({line.split()[-1] for line in maps if "libcusparse" in line})


def check(name, compute, expected, tolerance=1e-4):
    """Prints `ok NAME` if compute() is expected within the tolerance of its largest element, else `FAIL NAME: reason`."""
    try:
        got = numpy.asarray(compute())
        expected = numpy.asarray(expected)
        if got.shape != expected.shape:
            raise ValueError(f"shape {got.shape}, not {expected.shape}")
        error = numpy.abs(got - expected).max() if expected.size else 0
        bound = tolerance * max(1, numpy.abs(expected).max() if expected.size else 0)
        if not error <= bound:
            raise ValueError(f"error {error}, allowed {bound}")
        print("ok", name, flush=True)
    except Exception as problem:
        print(f"FAIL {name}: {type(problem).__name__}: {str(problem).splitlines()[0] if str(problem) else ''}", flush=True)


def random_matrix(rows, cols, density, dtype, seed):
    """Dense, with about density*rows*cols elements that are not zero, an empty row and an empty column."""
    generator = numpy.random.default_rng(seed)
    values = generator.standard_normal((rows, cols))
    if numpy.issubdtype(dtype, numpy.complexfloating):
        values = values + 1j * generator.standard_normal((rows, cols))
    values[generator.random((rows, cols)) > density] = 0
    values[rows // 3, :] = 0
    values[:, cols // 4] = 0
    return values.astype(dtype)


def skip(reason):
    print("skipped:", reason)
    sys.exit(SKIPPED)
