#!/usr/bin/env python3
"""The program of the README compiles by plain cc with Heron's headers and libraries alone, and prints what the README says.
usage: readme_test.py BUILD SOURCE"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

build, source = (pathlib.Path(p).resolve() for p in sys.argv[1:3])


def main(folder):
    program = re.search(r"```c\n(.*?)```", (source / "README.md").read_text(), re.S).group(1)
    expected = re.search(r"printf\(.*/\* (.*) \*/", program).group(1)
    (folder / "spmv.c").write_text(program)
    compat, cudart = build / "lib/heron/compat", build / "lib/heron/cudart"
    headers = source / "include/compat"
    subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", folder / "spmv.c", f"-I{headers}", f"-I{headers}/cuda",
                    f"-L{compat}", f"-L{cudart}", "-lcusparse", "-lcudart", f"-Wl,-rpath-link,{build}/lib",
                    "-o", folder / "spmv"], check=True)
    output = subprocess.run([folder / "spmv"], env={**os.environ, "LD_LIBRARY_PATH": f"{compat}:{cudart}"}, check=True,
                            capture_output=True, text=True).stdout.strip()
    if output != expected:
        sys.exit(f"the README says {expected!r}, the program {output!r}")


with tempfile.TemporaryDirectory() as scratch:
    main(pathlib.Path(scratch))
