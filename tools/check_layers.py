#!/usr/bin/env python3
"""Checks the rules that keep the layers apart (src/README.md, backends/README.md). Prints file:line: reason for every breach
and exits with status 1 if there is one. usage: tools/check_layers.py [repository]"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
SOURCES = {".h", ".hpp", ".cpp", ".cu", ".cuh", ".cl", ".c", ".inc", ".def"}

# Folder -> what its files may include: the project's folders (a trailing slash) and headers, and system headers beyond the
# standard library's. A file may include what lies in its own folder. The longest folder counts; a folder without a row may
# hold no source.
COMMON = ["backends/common/dialect/", "backends/common/runtime/", "heron/"]
ALLOWED_INCLUDES = {
    "include/heron": ["heron/"],
    "include/compat": ["include/compat/", "CL/cl.h"],
    "src/core": ["src/core/", "heron/", "core_interface.h", "fmt/", "dlfcn.h", "unistd.h",
                 "fcntl.h", "pthread.h", "sys/single_threaded.h", "sys/stat.h"],
    "src/native": ["src/core/", "heron/", "fmt/"],
    "src/cusparse": ["src/core/", "src/cusparse/", "heron/", "cusparse.h", "include/compat/cusparse/foreach_type.inc", "fmt/"],
    "src/cublas": ["src/core/", "src/cublas/", "heron/", "include/compat/", "fmt/"],
    "src/clblas": ["src/core/", "heron/", "include/compat/", "fmt/"],
    "src/fortran": ["include/compat/"],
    "src/cudart": ["src/core/", "heron/", "include/compat/cuda/", "fmt/", "cxxabi.h"],
    "backends/common/dialect": ["cuda_bf16.h", "cuda_fp16.h"],
    "backends/common/runtime": ["backends/common/dialect/", "heron/", "fcntl.h", "sys/stat.h", "unistd.h"],
    "backends/common": ["backends/common/", "heron/"],
    "backends/host": ["backends/common/", "backends/host/", "heron/", "omp.h", "pthread.h", "unistd.h", "sched.h", "sys/mman.h",
                      "immintrin.h", "cpuid.h"],
    "backends/opencl": ["backends/common/", "backends/opencl/", "heron/", "CL/cl.h", "unistd.h"],
    "backends/cuda": ["backends/common/", "backends/cuda/", "heron/", "cuda.h", "cuda_runtime.h", "cuda_runtime_api.h",
                      "cub/", "thrust/", "dlfcn.h"],
    "tests": None,
    "tools": None,
}
# What an include without a folder of ours may be found in, beside the folder of the file that includes it.
INCLUDE_ROOTS = ("include/heron/..", "src", "backends", "include/compat", "include/compat/cuda")
STANDARD = re.compile(r"[a-z_]+|(stddef|stdint|stdio|string|limits|math)\.h")
# Plans and kernels are for any device: they may not speak of one.
DEVICE_NAMES = re.compile(r"\b(cuda|opencl|openmp|omp|nvidia)\w*", re.I)
DEVICE_FREE = "backends/common"
# What a device must offer, its vocabulary and the user's files may say which devices there are.
DEVICE_NAMES_ALLOWED_IN = ("backends/common/dialect", "backends/common/runtime")

MOST_FILES_OF_AN_OPERATION = 12
DIALECT = {f"backends/common/dialect/{name}" for name in ("dialect.hpp", "dialect.cl", "dialect_group.hpp", "dialect_group.cl")}

problems = []


def report(path, line, reason):
    problems.append(f"{path.relative_to(ROOT)}:{line}: {reason}")


def is_under(name, folder):
    return name.startswith(folder + "/")


def rule_of(name):
    folders = [folder for folder in ALLOWED_INCLUDES if is_under(name, folder)]
    return max(folders, key=len) if folders else None


def resolved(path, include):
    """The include's path in the repository, or itself where it is none of ours."""
    for root in (path.parent, *(ROOT / r for r in INCLUDE_ROOTS)):
        if (root / include).is_file():
            return (root / include).resolve().relative_to(ROOT).as_posix()
    return include


def is_allowed(path, name, include, allowed):
    target = resolved(path, include)
    if target.startswith("include/heron/"):
        target = target.removeprefix("include/")
    if target.startswith(name.rsplit("/", 1)[0] + "/") or STANDARD.fullmatch(include):
        return True
    return any(target.startswith(a) if a.endswith("/") else a in (target, include) for a in allowed)


def is_dialect_text(name):
    return is_under(name, "backends/common") and name.endswith(".h")


def check_includes(path, name, lines):
    folder = rule_of(name)
    if folder is None:
        report(path, 1, "its folder has no row in ALLOWED_INCLUDES of tools/check_layers.py")
        return
    allowed = ALLOWED_INCLUDES[folder]
    for number, line in enumerate(lines, 1):
        found = re.match(r'\s*#\s*include\s*[<"]([^>"]+)', line)
        if not found:
            continue
        if is_dialect_text(name):
            report(path, number, "kernels include nothing")
        elif allowed is not None and not is_allowed(path, name, found.group(1), allowed):
            report(path, number, f"{folder} may not include {found.group(1)}")


def code_of(line):
    return re.sub(r"//.*", "", line)


def check_device_free(path, name, lines):
    if not is_under(name, DEVICE_FREE) or any(is_under(name, folder) for folder in DEVICE_NAMES_ALLOWED_IN):
        return
    for number, line in enumerate(lines, 1):
        if re.match(r"\s*#\s*(if|ifdef|ifndef|elif)\b", line):
            report(path, number, "plans and kernels have no conditional compilation")
        if DEVICE_NAMES.search(code_of(line)):
            report(path, number, "plans and kernels name no device API")


def check_macros(path, name, lines):
    # OpenCL C has no templates: there a macro is all there is.
    if name in DIALECT or path.suffix == ".cl":
        return
    for number, line in enumerate(lines, 1):
        if not re.match(r"\s*#\s*define\b", line):
            continue
        body = line
        for next_line in lines[number:]:
            if not body.endswith("\\"):
                break
            body = body[:-1] + next_line.strip()
        if body.count(";") > 1:
            report(path, number, "a macro has more than one statement")


def check_comments(path, lines):
    for number, line in enumerate(lines, 1):
        if re.search(r"(//|/\*)\s*[-=*#~]{5,}", line) or re.match(r"\s*[-=*~]{20,}\s*$", line):
            report(path, number, "a banner comment")


def check_cub(cuda_files):
    users = [p for p in cuda_files if re.search(r"#\s*include\s*<(cub|thrust)/", p.read_text())]
    for extra in users[1:]:
        report(extra, 1, f"CUB and Thrust belong in one file, {users[0].name}: they cost half a minute each time")


def check_variadic_macros(path, name, lines):
    if path.suffix != ".cl" and not is_dialect_text(name):
        return
    for number, line in enumerate(lines, 1):
        if re.match(r"\s*#\s*define\s+\w+\([^)]*\.\.\.", line):
            report(path, number, "OpenCL C has no variadic macros")


def check_files_of_last_operation(texts):
    """An operation is added in few files (src/README.md): those that name the one added last, tuned overrides apart."""
    operations = re.findall(r"^HERON_OP\(\w+, (\w+)\)", (ROOT / "include/heron/ops.def").read_text(), re.M)
    word = re.compile(rf"\b{operations[-1]}\b")
    tuned = ("backends/host", "backends/opencl", "backends/cuda")
    files = [name for name, text in texts.items() if word.search(text) and not any(is_under(name, f) for f in tuned)]
    if len(files) > MOST_FILES_OF_AN_OPERATION:
        report(ROOT / "include/heron/ops.def", 1, f"{operations[-1]} is spread over {len(files)} files: {', '.join(files)}")


# The parameters of the public functions, as literals in the core would name them; and the APIs themselves. The logger reads
# environment variables of NVIDIA's library, argument.cpp has the core's own words for parts of operands, and report_text.cpp
# names what it counts.
PUBLIC_HEADERS = ("include/compat/cusparse", "include/compat/cublas", "include/compat/clblas", "include/heron/heron.h", "include/heron/dense.h")
PUBLIC_APIS = re.compile(r"cusparse|cublas|cl(amd)?blas|cudart", re.I)
CORE_NAMES_ALLOWED_IN = {"src/core/log.hpp", "src/core/log.cpp", "src/core/argument.cpp", "src/core/report_text.cpp"}


def public_arguments():
    paths = [p for name in PUBLIC_HEADERS for p in ((ROOT / name).iterdir() if (ROOT / name).is_dir() else [ROOT / name])]
    prototypes = "".join(re.sub(r"/\*.*?\*/|//[^\n]*", "", p.read_text(), flags=re.S) for p in paths)
    return {name for name in re.findall(r"[\s*&](\w+)\s*[,)]", prototypes) if name.upper() != name or len(name) == 1}


def check_core_names_no_api():
    arguments = public_arguments()
    for path in sorted((ROOT / "src/core").rglob("*.?pp")):
        if path.relative_to(ROOT).as_posix() in CORE_NAMES_ALLOWED_IN:
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if PUBLIC_APIS.search(line):
                report(path, number, "the core names no public API")
            for literal in re.findall(r'"(\w+)(?:: [^"]*)?"', code_of(line)):
                if literal in arguments:
                    report(path, number, f"the core names no public function's argument: {literal}")


def main():
    texts = {}
    cuda_files = []
    for folder in ("src", "backends", "include", "tools", "tests"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in SOURCES or not path.is_file():
                continue
            name = path.relative_to(ROOT).as_posix()
            texts[name] = path.read_text()
            lines = texts[name].splitlines()
            check_includes(path, name, lines)
            check_device_free(path, name, lines)
            check_macros(path, name, lines)
            check_comments(path, lines)
            check_variadic_macros(path, name, lines)
            if path.suffix in (".cu", ".cuh"):
                cuda_files.append(path)
    check_cub(cuda_files)
    check_files_of_last_operation(texts)
    check_core_names_no_api()
    print("\n".join(problems) if problems else "layers: no breach found")
    sys.exit(bool(problems))


main()
