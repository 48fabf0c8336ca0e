#!/usr/bin/env python3
"""Gives cg files that are no matrix for it and looks for the reason in what it says. usage: cg_test.py PROGRAM"""
import os
import pathlib
import subprocess
import sys
import tempfile

REAL = "%%MatrixMarket matrix coordinate real general\n"
SYMMETRIC = "%%MatrixMarket matrix coordinate real symmetric\n"
PATTERN = "%%MatrixMarket matrix coordinate pattern general\n"
GOOD = [
    REAL + "2 2 2\n1 1 4\n2 2 4\n",
    REAL.replace("\n", "\r\n") + "% comment\r\n\r\n2 2 2\r\n2 2 4\r\n1 1 4\r\n",
    SYMMETRIC + "2 2 3\n1 1 4\n2 1 1\n2 2 4\n",
    PATTERN + "2 2 2\n1 1\n2 2\n",
]
BAD = {
    "": "the file is empty",
    "\n": "no Matrix Market header",
    "3 3 1\n1 1 1.0\n": "no Matrix Market header",
    "%%MatrixMarket matrix\n": "no Matrix Market header",
    "%%MatrixMarket vector coordinate real general\n3 1\n1 1\n": "only 'matrix coordinate' is read",
    "%%MatrixMarket matrix array real general\n1 1\n4\n": "only 'matrix coordinate' is read",
    "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 4 0\n": "only real, integer and pattern",
    "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 1\n": "only general and symmetric",
    REAL: "the size line is missing",
    REAL + "3 three 1\n": "the size line must say",
    REAL + "0 0 0\n": "the size line must say",
    REAL + "-3 -3 1\n1 1 1\n": "the size line must say",
    REAL + "2 3 1\n1 1 4\n": "the matrix is not square",
    REAL + "99999999999 99999999999 1\n1 1 1\n": "too large for 32-bit indices",
    REAL + "2 2 2\n1 1 4\n2 2": "an entry must say row, column and value",
    REAL + "2 2 2\n1 1 4\n2 2 four\n": "an entry must say row, column and value",
    REAL + "2 2 2\n1 1 4 0\n2 2 4 0\n": "an entry must say row, column and value",
    REAL + "2 2 2\n1 1 4\n": "the file ends too early",
    REAL + "2 2 2\n1 1 4\n2 2 4\n1 2 1\n": "more entries than the size line says",
    REAL + "2 2 2\n1 1 4\n3 2 4\n": "row or column out of range",
    REAL + "2 2 2\n0 1 4\n2 2 4\n": "row or column out of range",
    REAL + "2 2 2\n1 1 nan\n2 2 4\n": "the value is not finite",
    REAL + "2 2 2\n1 1 4\n2 2 -4\n": "not positive definite",
    SYMMETRIC + "2 2 4\n1 1 4\n2 1 1\n1 2 1\n2 2 4\n": "stored by one triangle",
    PATTERN + "2 2 2\n1 1 4\n2 2 4\n": "an entry must say row and column",
}


def run(program, *arguments):
    return subprocess.run([program, *arguments], text=True, capture_output=True,
                          env={**os.environ, "HERON_BACKEND": "host"})


def main(program, folder):
    file = folder / "matrix.mtx"
    problems = []
    for text in GOOD:
        file.write_text(text, newline="")
        result = run(program, file)
        if result.returncode != 0 or "reached" not in result.stdout:
            problems.append(f"{text!r}: {result.returncode}, {result.stdout}{result.stderr}")
    for text, reason in BAD.items():
        file.write_text(text, newline="")
        result = run(program, file)
        if result.returncode != 1 or reason not in result.stderr:
            problems.append(f"{text!r}: {result.returncode}, {result.stderr!r} does not say {reason!r}")
    for arguments, reason in ((["/no/such/file"], "cannot be opened"), (["--poisson"], "usage:"),
                              (["--poisson", "0"], "usage:"), (["--bogus", "1"], "usage:")):
        result = run(program, *arguments)
        if result.returncode != 1 or reason not in result.stderr:
            problems.append(f"{arguments}: {result.returncode}, {result.stderr!r} does not say {reason!r}")
    print("\n".join(problems) or f"{len(GOOD)} files solved, {len(BAD)} refused")
    return 1 if problems else 0


with tempfile.TemporaryDirectory() as scratch:
    sys.exit(main(sys.argv[1], pathlib.Path(scratch)))
