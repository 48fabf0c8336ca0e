#!/usr/bin/env python3
"""Calls with arguments of a wrong kind do not compile, and the same call with the right ones does. usage: wrong_kinds_test.py
FORTRAN MODULES"""
import pathlib
import subprocess
import sys

fortran, modules = sys.argv[1:3]
folder = pathlib.Path(__file__).parent


def errors_of(name):
    result = subprocess.run([fortran, "-fsyntax-only", f"-I{modules}", str(folder / name)], capture_output=True, text=True)
    return result.stderr if result.returncode else ""


if errors := errors_of("right_kinds.f90"):
    sys.exit(f"right_kinds.f90 does not compile:\n{errors}")
for name in ("wrong_kinds_scalar.f90", "wrong_kinds_array.f90"):
    if "no specific subroutine for the generic" not in errors_of(name):
        sys.exit(f"{name} compiles, or fails for another reason:\n{errors_of(name)}")
print("wrong kinds are refused")
