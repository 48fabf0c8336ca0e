#!/usr/bin/env python3
"""Runs the test programs of reference BLAS (Debian's libblas-test) for levels 1, 2 and 3 in S, D, C and Z on cuBLAS's facade.

usage: reference_blas_test.py SHIM LIBRARY_FOLDER BACKEND

Exit status 77, which ctest takes for "skipped", where the programs are not installed.
"""
import glob
import os
import pathlib
import re
import subprocess
import sys
import tempfile

shim, library = sys.argv[1:3]
SKIPPED = 77
ENVIRONMENT = {**os.environ, "LD_PRELOAD": shim, "LD_LIBRARY_PATH": library, "HERON_BACKEND": sys.argv[3], "OMP_NUM_THREADS": "1"}


def run(program, text, folder):
    result = subprocess.run([program], input=text, text=True, capture_output=True, cwd=folder, env=ENVIRONMENT, timeout=300)
    served = re.search(r"shim: (\d+) calls", result.stderr)
    if result.returncode or not served or int(served[1]) == 0:
        sys.exit(f"{program}: exit status {result.returncode}\n{result.stdout}\n{result.stderr}")
    return result.stdout, int(served[1])


def check(what, report, names, passed):
    wrong = re.findall(r".*(?:FAIL|FATAL|SUSPECT|[*]{5}).*", report)
    missing = [name for name in names if not re.search(passed.format(name), report)]
    if wrong or missing or not names:
        sys.exit(f"{what}: {wrong}, not passed: {missing}\n{report}")


def check_level1(program, folder):
    report, served = run(program, "", folder)
    names = re.findall(r"Test of subprogram number\s+\d+\s+(\w+)", report)
    passes = report.count("PASS")
    check(program, report, names, "{}")
    if passes != len(names):
        sys.exit(f"{program}: {passes} of {len(names)} passed\n{report}")
    return len(names), served


def check_matrices(program, data, folder):
    # Error exits are cublas_bad_arguments_test's business.
    text = pathlib.Path(data).read_text()
    text = re.sub(r"^T(\s+LOGICAL FLAG, T TO TEST ERROR EXITS)", r"F\1", text, flags=re.M)
    names = re.findall(r"^(\w+)\s+T PUT F FOR NO TEST", text, flags=re.M)
    report, served = run(program, text, folder)
    report += "".join(path.read_text() for path in pathlib.Path(folder).glob("*.out"))
    check(program, report, names, r"{}\s+PASSED THE COMPUTATIONAL TESTS")
    return len(names), served


def main(scratch):
    programs = glob.glob("/usr/lib/*/blas/xblat1d")
    if not programs:
        print("skipped: libblas-test is not installed")
        return SKIPPED
    home = pathlib.Path(programs[0]).parent
    for letter in "sdcz":
        for level in (1, 2, 3):
            folder = pathlib.Path(scratch) / f"{letter}{level}"
            folder.mkdir()
            program = str(home / f"xblat{level}{letter}")
            functions, served = (check_level1(program, folder) if level == 1 else
                                 check_matrices(program, home / f"{letter}blat{level}.in", folder))
            print(f"xblat{level}{letter}: {functions} functions passed, {served} calls")
    return 0


with tempfile.TemporaryDirectory() as scratch:
    sys.exit(main(scratch))
