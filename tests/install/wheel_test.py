#!/usr/bin/env python3
"""Makes the wheel of a build, installs it with pip and runs scripts with it. usage: wheel_test.py BUILD SOURCE"""
import os
import pathlib
import subprocess
import sys
import tempfile

build, source = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
SCRIPT = """
import ctypes, os, sys
library = ctypes.CDLL("libcusparse.so.12")
handle = ctypes.c_void_p()
assert library.cusparseCreate(ctypes.byref(handle)) == 0
place = next(line.split()[-1] for line in open("/proc/self/maps") if "libcusparse.so.12" in line)
print(sys.executable, os.path.realpath(place), *sys.argv[1:])
"""


def run(*command, **environment):
    result = subprocess.run([str(c) for c in command], text=True, capture_output=True, env={**os.environ, **environment})
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}\nexit status {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def main(scratch):
    wheel = run(source / "tools/make-wheel", build, scratch).strip()
    target = scratch / "installed"
    run(sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--target", target, wheel)
    script = scratch / "script.py"
    script.write_text(SCRIPT)
    words = run(sys.executable, "-m", "heron", "run", "--backend", "host", script, "--its", "own", PYTHONPATH=str(target)).split()
    if words[0] != sys.executable or not words[1].startswith(str(target.resolve())) or words[2:] != ["--its", "own"]:
        sys.exit(f"python -m heron run: {words}")
    report = scratch / "report.json"
    run(sys.executable, "-m", "heron", "run", "--backend", "host", "--report", report, "--", script, PYTHONPATH=str(target))
    if '"cusparseCreate"' not in report.read_text():
        sys.exit(f"a report of a script: {report.read_text()}")
    info = run(sys.executable, "-m", "heron", "info", PYTHONPATH=str(target))
    if str(target.resolve()) not in info:
        sys.exit(f"python -m heron info: {info}")
    run(target / "bin/heron", "--version", PYTHONPATH=str(target))
    print(f"{pathlib.Path(wheel).name}: ok")


if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode:
    print("skipped: no pip")
    sys.exit(77)
with tempfile.TemporaryDirectory() as directory:
    main(pathlib.Path(directory))
