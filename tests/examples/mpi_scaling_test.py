#!/usr/bin/env python3
"""tools/bench/mpi_scaling: from times that follow its model it finds the model again; and it measures mpi_cg.

usage: mpi_scaling_test.py SCRIPT HERON [PROGRAM]
"""
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

script, heron = sys.argv[1:3]
# Seconds: of a rank's iteration, of a row, of the halo's messages, of a byte, of the sum.
FIXED, ROW, LATENCY, BYTE, SUM, PRODUCT = 20e-6, 3e-9, 4e-6, 2e-10, 1.5e-6, 1e-9


def run(*arguments):
    result = subprocess.run([sys.executable, script, *map(str, arguments)], text=True, capture_output=True)
    if result.returncode:
        sys.exit(f"{arguments}: exit status {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def exchange(edge, ranks, latency, per_byte):
    return latency * math.ceil(ranks / edge) + per_byte * 8 * min(2, ranks - 1) * edge ** 2 if ranks > 1 else 0.0


def iteration(edge, ranks, overlaps, latency=LATENCY, per_byte=BYTE, more_sum=0.0):
    rows = edge ** 3 / ranks
    waits = exchange(edge, ranks, latency, per_byte)
    if overlaps:
        waits = max(0.0, waits - PRODUCT * rows)
    return FIXED + ROW * rows + waits + 2 * (SUM + more_sum)


def measured(overlaps):
    rows = []
    for ranks in (1, 2, 4):
        for kind, edge in (("parts", 40), ("parts", 80), ("strong", 64), ("weak", round(50 * ranks ** (1 / 3)))):
            size = edge ** 3 / ranks
            rows.append({"kind": kind, "ranks": ranks, "edge": edge, "seconds": iteration(edge, ranks, overlaps), "product": PRODUCT * size,
                         "work": FIXED + ROW * size, "exchange": exchange(edge, ranks, LATENCY, BYTE), "reduction": SUM,
                         "halo": min(2, ranks - 1) * edge ** 2})
    return rows


def check_model(folder, backend, per_machine):
    source, output = folder / "kept.json", folder / "again.json"
    source.write_text(json.dumps({"backend": backend, "measured": measured(backend != "host")}))
    text = run("--from", source, "--output", output, "--network", "1e-5,1e9", "--far", 64)
    if "largest 0.0 %" not in text:
        sys.exit(f"{backend}: the model does not find itself:\n{text}")
    for r in json.loads(output.read_text())["results"]:
        if "predicted" not in r["contender"]:
            continue
        ranks, machines = r["ranks"], math.ceil(r["ranks"] / per_machine)
        far = ranks > 4 and machines > 1
        expected = iteration(r["edge"], ranks, backend != "host", LATENCY + (1e-5 if far else 0), max(BYTE, 1e-9 if far else 0),
                             1e-5 * math.ceil(math.log2(machines)) if far else 0.0)
        if abs(r["seconds"] / expected - 1) > 1e-6:
            sys.exit(f"{backend}: {r}, not {expected}")
    for kind in ("png", "svg"):
        picture = folder / f"scaling.{kind}"
        drawn = subprocess.run([heron, "plot", output, "--kind", "scaling", "--over", "ranks", "-o", picture], text=True, capture_output=True)
        if drawn.returncode and "without" not in drawn.stderr:
            sys.exit(f"heron plot: {drawn.stderr}")
    print(f"the model on {backend}: ok")


def check_measuring(folder, program):
    output = folder / "measured.json"
    text = run(program, "--ranks", "1,2", "--parts", "6,12", "--strong", 12, "--weak", 10, "--iterations", 3, "--output", output, "--mpirun",
               "mpirun --oversubscribe --allow-run-as-root --bind-to none")
    rows = json.loads(output.read_text())["measured"]
    if [r["ranks"] for r in rows] != 4 * [1] + 4 * [2] or [r["halo"] for r in rows] != [0, 0, 0, 0, 64, 225, 144, 169] \
            or not all(r[part] > 0 for r in rows for part in ("seconds", "product", "work", "reduction")) or "mean error" not in text:
        sys.exit(f"measured: {rows}\n{text}")
    refused = subprocess.run([sys.executable, script, "/bin/true", "--ranks", "1"], text=True, capture_output=True)
    if refused.returncode == 0 or not re.search("exit status 0", refused.stderr):
        sys.exit(f"a program that is no mpi_cg: {refused.returncode} {refused.stderr}")
    print("measuring: ok")


with tempfile.TemporaryDirectory() as directory:
    check_model(pathlib.Path(directory), "host", 4)
    check_model(pathlib.Path(directory), "cuda", 1)
    if len(sys.argv) > 3:
        check_measuring(pathlib.Path(directory), sys.argv[3])
