#!/usr/bin/env python3
"""A program of an older toolkit, linked against a library of that soname, on Heron's library of the name.

usage: old_binaries_test.py LIBRARY_FOLDER SOURCE_FOLDER C_COMPILER

The library that the program is linked against is made here from the names that it imports; nothing of NVIDIA's is needed.
Names without a version node are tried too, as it is not known whether libraries before 10.0 had one.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

library, source = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
compiler = sys.argv[3]
program_source = source / "tests/facade/cublas/old_program.c"


def run(*command, **environment):
    result = subprocess.run([str(c) for c in command], env={**os.environ, "HERON_BACKEND": "host", **environment},
                            text=True, capture_output=True)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}\nexit status {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def check(soname, has_node, scratch):
    text, objects, program = scratch / "stub.c", scratch / "program.o", scratch / "program"
    run(compiler, "-std=c99", "-c", program_source, "-o", objects)
    names = re.findall(r"\bU (cublas\w+)", run("nm", "-u", objects))
    text.write_text("".join(f"int {name}(void) {{ return 1; }}\n" for name in names))
    options = []
    if has_node:
        script = scratch / "stub.map"
        script.write_text(f"{soname} {{ global: cublas*; local: *; }};\n")
        options = [f"-Wl,--version-script={script}"]
    run(compiler, "-shared", "-fPIC", "-w", text, f"-Wl,-soname,{soname}", *options, "-o", scratch / soname)
    run(compiler, objects, scratch / soname, "-o", program)
    output = run(program, LD_LIBRARY_PATH=str(library), LD_BIND_NOW="1")
    if output != "ok\n":
        sys.exit(f"{soname}: {output}")
    print(f"a program of {soname} {'with' if has_node else 'without'} version node: ok")


with tempfile.TemporaryDirectory() as directory:
    sonames = sorted(path.name for path in library.glob("libcublas.so.*"))
    if not {"libcublas.so.12", "libcublas.so.13"} <= set(sonames):
        sys.exit(f"{library} has {sonames} only")
    for name in sonames:
        for node in (True, False):
            check(name, node, pathlib.Path(directory))
