"""Sparse operations of PyTorch that cuSPARSE serves."""
import numpy
import torch

from common import check, random_matrix, skip

if not torch.cuda.is_available():
    skip("PyTorch sees no GPU")

DTYPES = {"f32": numpy.float32, "f64": numpy.float64, "c64": numpy.complex64, "c128": numpy.complex128}
LAYOUTS = {
    "coo": lambda a: a.to_sparse_coo(),
    "csr": lambda a: a.to_sparse_csr(),
    "csc": lambda a: a.to_sparse_csc(),
    "bsr": lambda a: a.to_sparse_bsr((4, 4)),
}


def device(a):
    return torch.from_numpy(numpy.ascontiguousarray(a)).cuda()


def host(a):
    return (a.to_dense() if a.layout != torch.strided else a).cpu().numpy()


def triangular(a):
    n = a.shape[0]
    return numpy.tril(a) + numpy.eye(n, dtype=a.dtype) * 5


for name, dtype in DTYPES.items():
    a = random_matrix(120, 88, 0.08, dtype, 1)
    b = random_matrix(88, 120, 0.08, dtype, 2)
    x = random_matrix(88, 1, 1, dtype, 3)[:, 0]
    dense = random_matrix(88, 24, 1, dtype, 4)
    for layout, make in LAYOUTS.items():
        s = make(device(a))
        check(f"{layout} {name} to_dense", lambda: host(s), a)
        check(f"{layout} {name} @ vector", lambda: host(s @ device(x)), a @ x)
        check(f"{layout} {name} @ matrix", lambda: host(s @ device(dense)), a @ dense)
        check(f"{layout} {name} @ turned matrix", lambda: host(s @ device(dense.T.copy()).T), a @ dense)
        if layout != "coo":
            out = device(random_matrix(120, 24, 1, dtype, 5))
            check(f"{layout} {name} addmm", lambda: host(torch.addmm(out, s, device(dense), beta=0.5, alpha=2)),
                  0.5 * host(out) + 2 * (a @ dense))
    for layout in ("coo", "csr"):
        s, t = LAYOUTS[layout](device(a)), LAYOUTS[layout](device(b))
        check(f"{layout} {name} @ sparse", lambda: host(s @ t), a @ b)
        check(f"{layout} {name} + sparse", lambda: host(s + LAYOUTS[layout](device(b.T.copy())) * 2), a + 2 * b.T)
    csr = LAYOUTS["csr"](device(a))
    check(f"csr {name} sampled_addmm",
          lambda: host(torch.sparse.sampled_addmm(csr, device(random_matrix(120, 16, 1, dtype, 6)),
                                                  device(random_matrix(16, 88, 1, dtype, 7)))),
          numpy.where(a != 0, a + random_matrix(120, 16, 1, dtype, 6) @ random_matrix(16, 88, 1, dtype, 7), 0))
    lower = triangular(random_matrix(96, 96, 0.06, dtype, 8))
    right = random_matrix(96, 5, 1, dtype, 9)
    for layout in ("csr", "bsr"):
        s = LAYOUTS[layout](device(lower))
        for transpose in (False, True):
            matrix = lower.T if transpose else lower
            check(f"{layout} {name} triangular_solve transpose={transpose}",
                  lambda: host(torch.triangular_solve(device(right), s, upper=False, transpose=transpose)[0]),
                  numpy.linalg.solve(matrix, right))
        check(f"{layout} {name} triangular_solve of one vector",
              lambda: host(torch.triangular_solve(device(right[:, :1]), s, upper=False)[0]),
              numpy.linalg.solve(lower, right[:, :1]))
    check(f"coo to csr {name}", lambda: host(LAYOUTS["coo"](device(a)).to_sparse_csr()), a)
    check(f"csr to csc {name}", lambda: host(csr.to_sparse_csc()), a)
    check(f"csr transposed @ vector {name}", lambda: host(csr.t() @ device(random_matrix(120, 1, 1, dtype, 10)[:, 0])),
          a.T @ random_matrix(120, 1, 1, dtype, 10)[:, 0])
    check(f"coo coalesced {name}",
          lambda: host((LAYOUTS["coo"](device(a)) + LAYOUTS["coo"](device(a))).coalesce()), 2 * a)
