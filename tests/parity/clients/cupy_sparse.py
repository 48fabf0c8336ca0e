"""Sparse operations of CuPy that cuSPARSE serves."""
import numpy

import cupy
import cupyx.scipy.sparse as sparse
from cupyx import cusparse
from cupyx.scipy.sparse import linalg

from common import check, random_matrix, skip

try:
    cupy.cuda.runtime.getDeviceCount()
except cupy.cuda.runtime.CUDARuntimeError:
    skip("CuPy sees no GPU")

DTYPES = {"f32": numpy.float32, "f64": numpy.float64, "c64": numpy.complex64, "c128": numpy.complex128}
FORMATS = {"csr": sparse.csr_matrix, "csc": sparse.csc_matrix, "coo": sparse.coo_matrix}


def dense(a):
    return (a.toarray() if sparse.issparse(a) else a).get()


for name, dtype in DTYPES.items():
    a = random_matrix(90, 70, 0.1, dtype, 1)
    b = random_matrix(70, 90, 0.1, dtype, 2)
    x = random_matrix(70, 1, 1, dtype, 3)[:, 0]
    right = random_matrix(70, 12, 1, dtype, 4)
    for fmt, make in FORMATS.items():
        s = make(cupy.asarray(a))
        check(f"{fmt} {name} from and to dense", lambda: dense(s), a)
        check(f"{fmt} {name} * vector", lambda: dense(s @ cupy.asarray(x)), a @ x)
        check(f"{fmt} {name} * matrix", lambda: dense(s @ cupy.asarray(right)), a @ right)
        check(f"{fmt} {name} * sparse", lambda: dense(s @ make(cupy.asarray(b))), a @ b)
        check(f"{fmt} {name} + sparse", lambda: dense(s + make(cupy.asarray(2 * b.T))), a + 2 * b.T)
        check(f"{fmt} {name} - sparse", lambda: dense(s - make(cupy.asarray(b.T))), a - b.T)
        check(f"{fmt} {name} transposed * vector", lambda: dense(s.T @ cupy.ones(90, dtype)), a.sum(axis=0))
        for other in FORMATS:
            check(f"{fmt} to {other} {name}", lambda: dense(getattr(s, "to" + other)()), a)
    csr = FORMATS["csr"](cupy.asarray(a))
    shuffled = FORMATS["coo"]((csr.data[::-1], (csr.tocoo().row[::-1], csr.indices[::-1])), shape=a.shape)
    check(f"coo of any order to csr {name}", lambda: dense(shuffled.tocsr()), a)
    twice = FORMATS["coo"]((cupy.concatenate([csr.data, csr.data]), (cupy.tile(csr.tocoo().row, 2), cupy.tile(csr.indices, 2))),
                           shape=a.shape)
    check(f"sum_duplicates {name}", lambda: (twice.sum_duplicates(), dense(twice))[1], 2 * a)
    check(f"sort_indices {name}", lambda: (lambda m: (m.sort_indices(), dense(m))[1])(csr.copy()), a)
    check(f"eliminate_zeros {name}", lambda: (lambda m: (m.eliminate_zeros(), dense(m))[1])(csr * 1), a)
    check(f"csr2csr_compress {name}", lambda: dense(cusparse.csr2csr_compress(csr, 0.5)), numpy.where(abs(a) > 0.5, a, 0))
    check(f"csrgeam2 {name}", lambda: dense(cusparse.csrgeam2(csr, FORMATS["csr"](cupy.asarray(b.T.copy())), 2, 3)), 2 * a + 3 * b.T)
    check(f"dense2csr {name}", lambda: dense(cusparse.dense2csr(cupy.asarray(a, order="F"))), a)
    check(f"csr2csc {name}", lambda: dense(cusparse.csr2csc(csr)), a)
    lower = numpy.tril(random_matrix(80, 80, 0.08, dtype, 5)) + 5 * numpy.eye(80, dtype=dtype)
    check(f"spsolve_triangular {name}",
          lambda: dense(linalg.spsolve_triangular(FORMATS["csr"](cupy.asarray(lower)), cupy.asarray(right[:1].repeat(80, 0)), lower=True)),
          numpy.linalg.solve(lower, right[:1].repeat(80, 0)))
    system = random_matrix(60, 60, 0.1, dtype, 6) + 8 * numpy.eye(60, dtype=dtype)
    system = system @ system.conj().T
    check(f"cg {name}", lambda: dense(linalg.cg(FORMATS["csr"](cupy.asarray(system)), cupy.asarray(x[:60]), tol=1e-6)[0]),
          numpy.linalg.solve(system, x[:60]), 1e-3)
    check(f"gmres {name}", lambda: dense(linalg.gmres(FORMATS["csr"](cupy.asarray(system)), cupy.asarray(x[:60]), tol=1e-6)[0]),
          numpy.linalg.solve(system, x[:60]), 1e-3)
