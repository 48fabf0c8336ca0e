#!/usr/bin/env python3
"""LLVM's Fortran compiler takes the modules and the programs that use them, too. Skips (77) without one.
usage: other_compiler_test.py SOURCES_OF_MODULES"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

MODULES = ("heron_device", "heron_cudart", "heron", "heron_cusparse", "heron_cublas", "heron_clblas", "heron_clamdblas")
PROGRAMS = ("cg_ilu0.f90", "cublas_module.f90", "kron3d.f90", "failure.f90")

sources = pathlib.Path(sys.argv[1]).resolve()
programs = pathlib.Path(__file__).resolve().parent
names = ["flang-new", "flang"] + [f"flang-new-{version}" for version in range(20, 14, -1)]
flang = next(filter(None, map(shutil.which, names)), None)
if not flang:
    print("skipped: no flang (15 or later)")
    sys.exit(77)


def compile_in(folder, file):
    result = subprocess.run([flang, "-fsyntax-only", str(file)], cwd=folder, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{flang} does not compile {file.name}:\n{result.stderr}")


with tempfile.TemporaryDirectory() as folder:
    for name in MODULES:
        compile_in(folder, sources / f"{name}.f90")
    for name in PROGRAMS:
        compile_in(folder, programs / name)
    if subprocess.run([flang, "-fsyntax-only", str(programs / "wrong_kinds_scalar.f90")], cwd=folder, capture_output=True).returncode == 0:
        sys.exit(f"{flang} compiles a call with arguments of a wrong kind")
print(f"{flang} compiles {len(MODULES)} modules and {len(PROGRAMS)} programs")
