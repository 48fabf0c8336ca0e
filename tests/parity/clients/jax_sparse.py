"""Sparse and tridiagonal operations of JAX that cuSPARSE serves."""
import numpy

import jax

from common import check, random_matrix, skip

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_bcoo_cusparse_lowering", True)
if jax.default_backend() != "gpu":
    skip("JAX sees no GPU")

import jax.numpy as jnp
from jax.experimental import sparse
from jax.lax.linalg import tridiagonal_solve

DTYPES = {"f32": numpy.float32, "f64": numpy.float64, "c64": numpy.complex64, "c128": numpy.complex128}

for name, dtype in DTYPES.items():
    a = random_matrix(90, 70, 0.1, dtype, 1)
    x = random_matrix(70, 1, 1, dtype, 3)[:, 0]
    right = random_matrix(70, 12, 1, dtype, 4)
    for kind in (sparse.BCOO, sparse.BCSR, sparse.CSR, sparse.CSC, sparse.COO):
        label = f"{kind.__name__} {name}"
        s = kind.fromdense(jnp.asarray(a))
        check(f"{label} to dense", lambda: jax.jit(lambda m: m.todense())(s), a)
        check(f"{label} @ vector", lambda: jax.jit(lambda m, v: m @ v)(s, jnp.asarray(x)), a @ x)
        check(f"{label} @ matrix", lambda: jax.jit(lambda m, v: m @ v)(s, jnp.asarray(right)), a @ right)
        if kind is not sparse.BCSR:
            check(f"{label} transposed @ vector", lambda: jax.jit(lambda m, v: m.T @ v)(s, jnp.ones(90, dtype)), a.sum(axis=0))
    if numpy.issubdtype(dtype, numpy.complexfloating):
        continue
    m = 200
    generator = numpy.random.default_rng(7)
    lower, upper = (generator.standard_normal(m).astype(dtype) for _ in range(2))
    main = (4 + generator.standard_normal(m)).astype(dtype)
    lower[0] = upper[-1] = 0
    b = generator.standard_normal((m, 3)).astype(dtype)
    matrix = numpy.diag(main) + numpy.diag(lower[1:], -1) + numpy.diag(upper[:-1], 1)
    check(f"tridiagonal_solve {name}", lambda: jax.jit(tridiagonal_solve)(lower, main, upper, b), numpy.linalg.solve(matrix, b))
