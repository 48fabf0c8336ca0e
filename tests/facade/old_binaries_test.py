#!/usr/bin/env python3
"""Programs of old toolkits, linked against libraries of that soname and version node, on Heron's libraries.

usage: old_binaries_test.py COMPAT_FOLDER CUDART_FOLDER SOURCE_FOLDER [C_COMPILER]

The libraries that a program is linked against are made here from the names that the program imports; nothing of NVIDIA's is
needed. Until CUDA 9.2 it is not known whether there were version nodes in libcusparse, so programs are tried with and
without. libcudart has always had one. The programs run on HERON_BACKEND, or on the host.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# The number of the version, and the runtime; there is none of ours before 8.0.
CUDART = {"5.5": "8.0", "8.0": "8.0", "9.2": "9.2", "10.0": "10.0", "10": "10.2", "11": "11.0"}
ERAS = {"5.5": 550, "8.0": 800, "9.2": 920, "10.0": 1000, "10": 1020, "11": 1100}
KNOWN_NODES = {"10.0", "10", "11"}
SONAMES = ["4.0", "5.0", "5.5", "6.0", "6.5", "7.0", "7.5", "8.0", "9.0", "9.1", "9.2", "10.0", "10", "11"]

compat, cudart, source = (pathlib.Path(p).resolve() for p in sys.argv[1:4])
compiler = sys.argv[4] if len(sys.argv) > 4 else "cc"
folder = source / "tests/facade/old_binaries"


def run(*command, **environment):
    result = subprocess.run([str(c) for c in command], env={"HERON_BACKEND": "host", **os.environ, **environment},
                            text=True, capture_output=True)
    if "no managed memory" in result.stdout:
        print("skipped: the device has no managed memory")
        sys.exit(77)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}\nexit status {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout + result.stderr


def symbols(library, *options, prefix="cusparse"):
    """{name: version node} of functions."""
    found = {}
    for line in run("nm", "-D", *options, library).splitlines():
        kind, symbol = line.split()[-2:]
        name, _, node = symbol.partition("@")
        if kind in "TUW" and name.startswith(prefix):
            found[name] = node.lstrip("@")
    return found


def make_stub(scratch, soname, names, has_node):
    text = scratch / "stub.c"
    text.write_text("".join(f"int {name}(void) {{ return 1; }}\n" for name in names))
    options = []
    if has_node:
        script = scratch / "stub.map"
        script.write_text(f"{soname} {{ global: cu*; local: *; }};\n")
        options = [f"-Wl,--version-script={script}"]
    run(compiler, "-shared", "-fPIC", text, f"-Wl,-soname,{soname}", *options, "-o", scratch / soname)
    return scratch / soname


def check_program(scratch, version, has_node):
    soname = f"libcusparse.so.{version}"
    objects, program = scratch / "program.o", scratch / "program"
    run(compiler, "-std=c99", "-Wall", "-Werror", f"-DERA={ERAS[version]}", "-c", folder / "program.c", "-o", objects)
    undefined = run("nm", "-u", objects)
    stub = make_stub(scratch, soname, re.findall(r"\bU (cusparse\w+)", undefined), has_node)
    runtime = f"libcudart.so.{CUDART[version]}"
    runtime_stub = make_stub(scratch, runtime, re.findall(r"\bU (cuda\w+)", undefined), True)
    run(compiler, objects, stub, runtime_stub, "-o", program)
    for prefix, expected in {"cusparse": soname if has_node else "", "cuda": runtime}.items():
        imported = symbols(program, "-u", prefix=prefix)
        if set(imported.values()) != {expected}:
            sys.exit(f"{soname}: the program imports {imported}, not {expected!r}")
    output = run(program, LD_LIBRARY_PATH=f"{compat}:{cudart}", LD_BIND_NOW="1")
    if output != "ok\n":
        sys.exit(f"{soname}: {output}")
    print(f"a program of {soname} {'with' if has_node else 'without'} version node: ok")


def check_exports(version):
    """The library has every function of libcusparse.so.12, and the first ones those that only they had."""
    soname = f"libcusparse.so.{version}"
    expected = set(symbols(compat / "libcusparse.so.12", "--defined-only"))
    if float(version) < 7:
        expected.add("cusparseSetKernelStream")
    found = symbols(compat / soname, "--defined-only")
    if set(found) != expected:
        sys.exit(f"{soname}: exports differ by {sorted(set(found) ^ expected)}")
    if set(found.values()) != {soname}:
        sys.exit(f"{soname}: version nodes {set(found.values())}")
    dynamic = run("readelf", "-d", "-W", compat / soname)
    if f"soname: [{soname}]" not in dynamic:
        sys.exit(f"{soname}: has another soname")


def check_two(scratch, first, second):
    program = scratch / "two"
    run(compiler, "-std=gnu99", folder / "two_libraries.c", "-ldl", "-o", program)
    sonames = [f"libcusparse.so.{version}" for version in (first, second)]
    if run(program, *sonames, LD_LIBRARY_PATH=str(compat)) != "ok\n":
        sys.exit(f"{sonames}: no common state")


def main(scratch):
    for version in SONAMES:
        check_exports(version)
    for version in ERAS:
        check_program(scratch, version, True)
        if version not in KNOWN_NODES:
            check_program(scratch, version, False)
    check_two(scratch, "10.0", "11")
    check_two(scratch, "5.5", "12")
    print("two libraries in one process: ok")


with tempfile.TemporaryDirectory() as directory:
    main(pathlib.Path(directory))
