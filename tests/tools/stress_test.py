#!/usr/bin/env python3
"""heron stress, a few seconds long: nothing fails, every operation was done, and a library that does nothing is found out.

usage: stress_test.py HERON BACKEND LIBRARY; LIBRARY has cuSPARSE's functions, but its cusparseSpMV does nothing; empty: none
"""
import json
import subprocess
import sys

heron, backend, idle = sys.argv[1:]


def stress(*arguments, minutes="0.05"):
    return subprocess.run([heron, "stress", "--backend", backend, "--minutes", minutes, "--largest", "2000", "--output", "json",
                           *arguments], capture_output=True, text=True)


def expect(condition, run):
    if not condition:
        sys.exit(f"{run.args}: exit status {run.returncode}\n{run.stdout}{run.stderr}")


information = json.loads(subprocess.run([heron, "info", "--json"], capture_output=True, text=True, check=True).stdout)
if not any(found["name"] == backend and found["available"] for found in information["backends"]):
    print(f"skipped: {backend} cannot be used")
    sys.exit(77)

run = stress("--seed", "20")
expect(run.returncode == 0, run)
result = json.loads(run.stdout)
expect(result["failures"] == 0 and result["seed"] == 20 and result["calls"] > 0, run)
expect("slope_per_minute" in result["memory"]["resident"], run)
# A slow device does not get to all of them in this time, nor a processor that others use.
if backend == "host":
    kinds = {"spmv", "spmm", "spsv", "spsm", "spgemm", "sddmm", "transpose", "dense", "gemm", "refused", "handle", "matrix", "stream"}
    if set(result["operations"]) != kinds:
        run = stress("--seed", "20", minutes="0.5")
        result = json.loads(run.stdout)
    expect(set(result["operations"]) == kinds, run)

expect(stress("--threads", "0").returncode == 105, run)
if idle:
    run = stress("--seed", "20", "--library", idle)
    expect(run.returncode == 1, run)
    messages = json.loads(run.stdout)["messages"]
    expect(any(message.startswith("spmv: number 0 of") for message in messages), run)
    expect(all(message.startswith(("spmv: ", "refused: ")) for message in messages), run)
