#!/usr/bin/env python3
"""The Fortran program of the README compiles with Heron's modules and prints what the README says. usage: readme_test.py
BUILD SOURCE FORTRAN MODULES MODULES_LIBRARY. Exit status 77: the README has none."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

build, source = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
fortran, modules, library = sys.argv[3:6]


def main(folder):
    found = re.search(r"```fortran\n(.*?)```", (source / "README.md").read_text(), re.S)
    if not found:
        print("the README has no Fortran program")
        sys.exit(77)
    program = found.group(1)
    expected = re.search(r"print .* ! (.*)", program).group(1).split()
    (folder / "readme.f90").write_text(program)
    paths = [build / "lib", *(build / "lib/heron" / name for name in ("compat", "cublas", "cudart"))]
    subprocess.run([fortran, "-std=f2008", "-Wall", "-Werror", folder / "readme.f90", f"-I{modules}", library,
                    *(f"-L{path}" for path in paths), "-lheron_fortran", "-lcusparse", "-lcudart", "-lheron",
                    "-Wl,-rpath-link," + ":".join(map(str, paths)), "-o", folder / "readme"], check=True)
    environment = {**os.environ, "LD_LIBRARY_PATH": ":".join(map(str, paths))}
    answer = subprocess.run([folder / "readme"], env=environment, check=True, capture_output=True, text=True).stdout.split()
    if [float(number) for number in answer] != [float(number) for number in expected]:
        sys.exit(f"the README says {expected}, the program {answer}")


with tempfile.TemporaryDirectory() as scratch:
    main(pathlib.Path(scratch))
