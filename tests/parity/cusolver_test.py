#!/usr/bin/env python3
"""NVIDIA's libcusolver, with all of its symbols bound at once, finds what it needs of cuSPARSE in Heron's library.
usage: cusolver_test.py LIBCUSPARSE. Exits with 77 where there is no libcusolver."""
import os
import pathlib
import subprocess
import sys

FOLDERS = ("/usr/local/cuda/lib64", "/usr/local/cuda/lib", "/usr/lib/x86_64-linux-gnu")
LOAD = """
import ctypes, sys
try:
    ctypes.CDLL("libcusolver.so.12")
except OSError as problem:
    sys.exit(str(problem))
with open("/proc/self/maps") as maps:
    print("\\n".join({line.split()[-1] for line in maps if "libcusparse" in line}))
"""


def load(**variables):
    environment = dict(os.environ, LD_LIBRARY_PATH=":".join(FOLDERS), LD_BIND_NOW="1", **variables)
    return subprocess.run([sys.executable, "-c", LOAD], env=environment, capture_output=True, text=True)


library = pathlib.Path(sys.argv[1]).resolve()
alone = load()
if alone.returncode:
    print("skipped: libcusolver does not load here by itself:", alone.stderr.strip().splitlines()[-1])
    sys.exit(77)
over_heron = load(LD_PRELOAD=str(library))
loaded = [pathlib.Path(line).resolve() for line in over_heron.stdout.split()]
if over_heron.returncode or loaded != [library]:
    sys.exit(f"libcusolver over {library}: {over_heron.stderr.strip()} loaded {loaded}")
print("libcusolver loads over", library)
