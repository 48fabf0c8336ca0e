#!/usr/bin/env python3
"""Runs mpi_cg with 1, 2 and 4 ranks: the same problem takes the same iterations and ends with the same residual.

usage: mpi_cg_test.py MPIEXEC PROGRAM
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

mpiexec, program = sys.argv[1:3]
LINE = re.compile(r"ranks (\d+) rows (\d+) entries (\d+) halo (\d+) iterations (\d+) residual (\S+) .* solved$", re.M)
# Ranks share the cores of a small machine, and CI runs as root.
LAUNCHER = [mpiexec, "--oversubscribe", "--allow-run-as-root", "--bind-to", "none"]
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}


def solve(ranks, *arguments):
    result = subprocess.run([*LAUNCHER, "-n", str(ranks), program, *map(str, arguments)], env=ENVIRONMENT, text=True,
                            capture_output=True)
    found = LINE.search(result.stdout)
    if result.returncode or not found:
        sys.exit(f"{ranks} ranks, {arguments}: status {result.returncode}\n{result.stdout}{result.stderr}")
    numbers = found.groups()
    if int(numbers[0]) != ranks:
        sys.exit(f"mpiexec started {numbers[0]} ranks, not {ranks}")
    return [int(n) for n in numbers[1:5]], float(numbers[5])


def check(what, halos, *arguments):
    (rows, entries, halo, iterations), residual = solve(1, *arguments)
    if halo != 0 or iterations < 2:
        sys.exit(f"{what}: one rank has a halo of {halo} and takes {iterations} iterations")
    for ranks, expected_halo in halos.items():
        (r, e, h, i), res = solve(ranks, *arguments)
        if (r, e, i) != (rows, entries, iterations) or abs(res - residual) > 1e-3 * residual + 1e-14:
            sys.exit(f"{what}: {ranks} ranks: {r} rows, {e} entries, {i} iterations, residual {res};"
                     f" one rank: {rows}, {entries}, {iterations}, {residual}")
        if h != expected_halo:
            sys.exit(f"{what}: {ranks} ranks: a halo of {h}, not {expected_halo}")
    print(f"{what}: {iterations} iterations, residual {residual:.3e}: ok")


def refuse(reason, *arguments):
    result = subprocess.run([*LAUNCHER, "-n", "1", program, *map(str, arguments)], env=ENVIRONMENT, text=True,
                            capture_output=True)
    if result.returncode == 0 or reason not in result.stderr:
        sys.exit(f"{arguments}: status {result.returncode}, {result.stderr!r} has no {reason!r}")


def main(folder):
    # A plane of the grid comes from each neighbour.
    check("poisson", {2: 2 * 12 * 12, 4: 6 * 12 * 12}, "--poisson", 12)
    # An arrow, whose first row needs all and whose others need the first: with four ranks one has one row.
    arrow = folder / "arrow.mtx"
    size = 7
    lines = [f"{i} {i} {4 + i}" for i in range(1, size + 1)] + [f"{i} 1 1" for i in range(2, size + 1)]
    arrow.write_text(f"%%MatrixMarket matrix coordinate real symmetric\n% arrow\n{size} {size} {len(lines)}\n"
                     + "\n".join(lines) + "\n")
    # Others than the first rank need its first row's number each; it needs all of theirs.
    check("arrow", {2: (size - size // 2) + 1, 4: (size - size // 4) + 3}, arrow)
    # Fewer rows than ranks.
    small = folder / "small.mtx"
    small.write_text("%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 4\n2 2 5\n3 3 6\n1 3 1\n3 1 1\n")
    check("three rows", {2: 2, 4: 2}, small)
    refuse("cannot be opened", folder / "none.mtx")
    refuse("is no option", "--nothing")
    refuse("is no number", "--poisson", "many")


with tempfile.TemporaryDirectory() as directory:
    main(pathlib.Path(directory))
