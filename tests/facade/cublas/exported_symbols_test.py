#!/usr/bin/env python3
"""What libcublas.so.13, .12 and those of older toolkits export: exactly the names that NVIDIA's library has
(exported_symbols.txt), each in a version node of the library's name, and among them every function that our headers declare.

usage: exported_symbols_test.py LIBRARY_FOLDER SOURCE_FOLDER
"""
import pathlib
import re
import subprocess
import sys

folder, source = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])


def output(*command, text=None):
    return subprocess.run(command, check=True, capture_output=True, text=True, input=text).stdout


def exported(library):
    """{name: version node} of functions."""
    symbols = {}
    for line in output("nm", "-D", "--defined-only", library).splitlines():
        kind, symbol = line.split()[-2:]
        name, _, node = symbol.partition("@")
        if kind in "TW" and not re.match("__(asan|ubsan|tsan)", name):
            symbols[name] = node.lstrip("@")
    return symbols


def declared(header, language):
    compat = source / "include/compat"
    text = output("c++", "-E", "-P", "-x", language, f"-I{compat}", f"-I{compat}/cuda", "-", text=f"#include <{header}>\n")
    return set(re.findall(r"(?<!inline )cublasStatus_t\s+(cublas\w+)\s*\(", text)) - {"cublasMigrateComputeType"}


def main():
    expected = set((source / "tests/facade/cublas/exported_symbols.txt").read_text().split())
    problems = []
    older = {path.name for path in folder.glob("libcublas.so.*") if not path.is_symlink()}
    for soname in sorted(older | {"libcublas.so.13", "libcublas.so.12"}):
        symbols = exported(folder / soname)
        problems += [f"{soname} lacks {name}" for name in sorted(expected - set(symbols))]
        problems += [f"{soname} exports {name}" for name in sorted(set(symbols) - expected)]
        problems += [f"{soname}: {name} is in {node}" for name, node in symbols.items() if node != soname]
        dynamic = output("readelf", "-d", "-W", folder / soname)
        if f"soname: [{soname}]" not in dynamic:
            problems.append(f"{soname} has another soname")
        needed = set(re.findall(r"\(NEEDED\).*\[(lib(?:cuda|nv|cublas|cusparse).*)\]", dynamic))
        problems += [f"{soname} needs {name}" for name in needed - ({"libcublas.so.13"} if soname in older else set())]
    functions = declared("cublas_v2.h", "c++") | declared("cublas.h", "c")
    problems += [f"{name} is declared and not exported" for name in sorted(functions - expected)]
    if len(functions) < 450:
        problems.append(f"the headers declare {len(functions)} functions only")
    print("\n".join(problems) or f"{len(expected)} functions exported, {len(functions)} declared")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
