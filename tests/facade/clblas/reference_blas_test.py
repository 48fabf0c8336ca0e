#!/usr/bin/env python3
"""The test programs of reference BLAS (Debian's libblas-test) over clBLAS, in row and column order.

usage: reference_blas_test.py LIBRARY LETTER [--whole]

LIBRARY is CBLAS over clBLAS (cblas_over_clblas.cpp), which the programs of the scalar type LETTER (s, d, c or z) find in
the place of reference CBLAS. They run with fewer sizes than the package's input files list, unless --whole is given.
Exits with status 77, which ctest counts as skipped, where there are no programs or no OpenCL device.
"""
import os
import pathlib
import re
import subprocess
import sys

SKIPPED = 77
# What there is to try in place of the lists in the input files; the others stay.
SHORTER = {"N": "0 1 9", "K": "0 1 3", "INCX AND INCY": "1 -2"}


def shortened(text):
    lines = text.splitlines()
    for i, line in enumerate(lines):
        counted = re.match(r"\d+ +NUMBER OF VALUES OF (.*?) *$", line)
        if counted and counted[1] in SHORTER:
            values = SHORTER[counted[1]]
            lines[i] = f"{len(values.split())} NUMBER OF VALUES OF {counted[1]}"
            lines[i + 1] = f"{values} VALUES OF {counted[1]}"
    return "\n".join(lines) + "\n"


def without_error_exits(text):
    """clBLAS has statuses; it calls no handler that the programs wait for."""
    return re.sub(r"^T( +LOGICAL FLAG, T TO TEST ERROR EXITS)", r"F\1", text, flags=re.M)


def run(program, library, text):
    environment = dict(os.environ, LD_PRELOAD=library)
    result = subprocess.run([program], input=text, capture_output=True, text=True, env=environment)
    if re.search(r"cblas over clBLAS: clGet(Platform|Device)IDs", result.stderr):
        print("skipped: there is no OpenCL device")
        sys.exit(SKIPPED)
    output = result.stdout + result.stderr
    problems = [line.strip() for line in output.splitlines() if re.search(r"FAIL|SUSPECT|\*{3}", line)]
    if result.returncode != 0:
        problems.append(f"ended with status {result.returncode}: {result.stderr.strip()[-500:]}")
    calls = re.search(r"cblas over clBLAS: (\d+) calls", result.stderr)
    if not calls or int(calls[1]) == 0:
        problems.append("did not call clBLAS")
    return output, problems, calls


def check_level1(folder, letter, library):
    output, problems, calls = run(folder / f"x{letter}cblat1", library, "")
    functions = output.count("Test of subprogram")
    if functions < 10 or output.count("PASS") != functions:
        problems.append(f"{output.count('PASS')} of {functions} functions passed")
    return functions, problems, calls


def check_matrices(folder, letter, level, library, whole):
    text = without_error_exits((folder / f"{letter}in{level}").read_text())
    functions = re.findall(r"^(cblas_\w+) +T", text, flags=re.M)
    output, problems, calls = run(folder / f"x{letter}cblat{level}", library, text if whole else shortened(text))
    # Once in column order and once in row order, which not all programs say.
    passes = re.findall(r"(cblas_\w+) +PASSED THE (?:(?:COLUMN|ROW)-MAJOR +)?COMPUTATIONAL TESTS", output)
    problems += [f"{name}: passed {passes.count(name)} times, not in both orders" for name in functions
                 if passes.count(name) != 2]
    return len(functions), problems, calls


def main():
    library, letter = sys.argv[1:3]
    whole = "--whole" in sys.argv[3:]
    folders = [path.parent for path in pathlib.Path("/usr/lib").glob(f"*/blas/x{letter}cblat3")]
    if not folders:
        print("skipped: there are no test programs of reference BLAS; libblas-test of Debian has them")
        return SKIPPED
    failed = False
    for level in (1, 2, 3):
        if level == 1:
            functions, problems, calls = check_level1(folders[0], letter, library)
        else:
            functions, problems, calls = check_matrices(folders[0], letter, level, library, whole)
        print(f"level {level}: {functions} functions, {calls[1] if calls else 0} calls")
        print("".join(f"  {problem}\n" for problem in problems), end="")
        failed = failed or bool(problems)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
