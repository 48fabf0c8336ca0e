#!/usr/bin/env python3
"""Checks the rules that keep the layers apart (src/README.md, backends/README.md). Prints file:line: reason for every breach
and exits with status 1 if there is one. usage: tools/check_layers.py [repository]"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
SOURCES = {".h", ".hpp", ".cpp", ".cu", ".cuh", ".cl", ".c", ".inc", ".def"}

# Folder -> what its files may not include, as a pattern of the include's text.
FORBIDDEN_INCLUDES = {
    "src/core": r"cuda|opencl|CL/|omp\.h|cusparse|\.\./cusparse|backends/",
    "src/native": r"cuda|opencl|CL/|omp\.h|cusparse|backends/",
    "src/cusparse": r"opencl|CL/|omp\.h|backends/",
    "src/clblas": r"cuda|opencl|CL/|omp\.h|cusparse|backends/",
    "src/cudart": r"opencl|CL/|omp\.h|backends/",
    "include/heron": r"cuda|opencl|CL/|fmt|\.hpp",
    "backends": r"src/|core/|cusparse|cublas",
    "backends/common": r"cuda_runtime|CL/|omp\.h",
    "backends/common/kernels": r".",
    "backends/host": r"cuda|CL/",
    "backends/opencl": r"cuda|omp\.h",
    "backends/cuda": r"CL/|omp\.h",
}
# Plans and kernels are for any device: they may not speak of one.
DEVICE_NAMES = re.compile(r"\b(cuda|opencl|openmp|omp|nvidia)\w*", re.I)
DEVICE_FREE = ("backends/common/plans", "backends/common/kernels")
# Documentation of what a device must offer may say which devices there are.
DEVICE_NAMES_ALLOWED_IN = {"backends/common/plans/device.hpp"}
DIALECT = {"backends/common/dialect.hpp", "backends/common/dialect.cl"}

problems = []


def report(path, line, reason):
    problems.append(f"{path.relative_to(ROOT)}:{line}: {reason}")


def is_under(name, folder):
    return name.startswith(folder + "/")


def check_includes(path, name, lines):
    for number, line in enumerate(lines, 1):
        found = re.match(r'\s*#\s*include\s*[<"]([^>"]+)', line)
        if not found:
            continue
        for folder, pattern in FORBIDDEN_INCLUDES.items():
            if is_under(name, folder) and re.search(pattern, found.group(1)):
                report(path, number, f"{folder} may not include {found.group(1)}")


def code_of(line):
    return re.sub(r"//.*", "", line)


def check_device_free(path, name, lines):
    if not any(is_under(name, folder) for folder in DEVICE_FREE):
        return
    for number, line in enumerate(lines, 1):
        if re.match(r"\s*#\s*(if|ifdef|ifndef|elif)\b", line):
            report(path, number, "plans and kernels have no conditional compilation")
        if name not in DEVICE_NAMES_ALLOWED_IN and DEVICE_NAMES.search(code_of(line)):
            report(path, number, "plans and kernels name no device API")


def check_macros(path, name, lines):
    # OpenCL C has no templates: there a macro is all there is.
    if name in DIALECT or path.suffix == ".cl":
        return
    for number, line in enumerate(lines, 1):
        if re.match(r"\s*#\s*define\b", line) and line.rstrip().endswith("\\"):
            body = lines[number : number + 2]
            if len(body) == 2 and body[0].rstrip().endswith("\\"):
                report(path, number, "a macro has more than one line of code")


def check_comments(path, lines):
    for number, line in enumerate(lines, 1):
        if re.search(r"(//|/\*)\s*[-=*#~]{5,}", line) or re.match(r"\s*[-=*~]{20,}\s*$", line):
            report(path, number, "a banner comment")


def check_cub(cuda_files):
    users = [p for p in cuda_files if re.search(r"#\s*include\s*<(cub|thrust)/", p.read_text())]
    for extra in users[1:]:
        report(extra, 1, f"CUB and Thrust belong in one file, {users[0].name}: they cost half a minute each time")


def check_variadic_macros(path, name, lines):
    if path.suffix != ".cl" and not is_under(name, "backends/common/kernels"):
        return
    for number, line in enumerate(lines, 1):
        if re.match(r"\s*#\s*define\s+\w+\([^)]*\.\.\.", line):
            report(path, number, "OpenCL C has no variadic macros")


def main():
    cuda_files = []
    for folder in ("src", "backends", "include/heron", "tools", "tests"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in SOURCES or not path.is_file():
                continue
            name = path.relative_to(ROOT).as_posix()
            lines = path.read_text().splitlines()
            check_includes(path, name, lines)
            check_device_free(path, name, lines)
            check_macros(path, name, lines)
            check_comments(path, lines)
            check_variadic_macros(path, name, lines)
            if path.suffix in (".cu", ".cuh"):
                cuda_files.append(path)
    check_cub(cuda_files)
    print("\n".join(problems) if problems else "layers: no breach found")
    sys.exit(bool(problems))


main()
