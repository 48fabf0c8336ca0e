#!/usr/bin/env python3
"""What the libraries of a build export, need and weigh.

usage: exported_symbols_test.py BUILD_FOLDER SOURCE_FOLDER

Checks that libcusparse exports exactly tests/facade/exported_symbols.txt in the version node libcusparse.so.12, and some under
their second name of CUDA 4, with the functions of declared_only_symbols.txt, which NVIDIA's header declares and NVIDIA's library lacks, that the headers declare exactly those functions, that both libraries of clBLAS export exactly clblas_symbols.txt, that libheron exports the native API in HERON_0 and nothing else in public, that
a plug-in exports heron_plugin alone, that nothing needs a CUDA runtime, and that libheron and the facades stay small.
"""
import pathlib
import re
import subprocess
import sys

SIZE_LIMIT = 3_000_000
CPP_LIBRARY_SIZE = 1_000_000  # of a C++ library that a compiler puts into each of ours
CUDA_SIZE_LIMIT = 40_000_000  # of the plug-in, for one architecture
HOST_SIZE_LIMIT = 23_000_000  # of the plug-in, with every instruction set level
SECOND_NAMES = re.compile(r"cusparse([SDCZ](axpyi|csrmv|csrmm|csrsv_analysis|csrsv_solve|csr2csc)|[SD]roti)$")  # and _v2
SANITIZER_SYMBOLS = re.compile(r"^(__asan|__ubsan|__tsan|_ZTI|_ZTS|__odr_asan)")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def exported(library):
    """{name: version node} of the functions and objects that the library defines for others."""
    symbols = {}
    for line in output("nm", "-D", "--defined-only", library).splitlines():
        kind, symbol = line.split()[-2:]
        name, _, node = symbol.partition("@")
        if kind != "A" and not SANITIZER_SYMBOLS.match(name):
            symbols[name] = node.lstrip("@")
    return symbols


def dynamic(library, tag):
    return re.findall(rf"\({tag}\).*\[(.*)\]", output("readelf", "-d", "-W", library))


def declared(folder, pattern):
    """Functions that the headers in the folder declare."""
    text = "\n".join(path.read_text() for path in sorted(folder.rglob("*")) if path.suffix in (".h", ".inc"))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return set(re.findall(pattern, text))


def members(family, is_complex):
    """The functions that a family of typed functions (include/compat/foreach_type.inc) has for a real or complex type."""
    text = re.sub(r"/\*.*?\*/", "", family.read_text(), flags=re.S)
    conditions, kept = [], []
    for line in text.splitlines():
        directive = line.split() if line.startswith("#") else []
        if directive in (["#if", "HERON_IS_COMPLEX"], ["#if", "!HERON_IS_COMPLEX"]):
            conditions.append(is_complex == (directive[1] == "HERON_IS_COMPLEX"))
        elif directive == ["#else"]:
            conditions[-1] = not conditions[-1]
        elif directive == ["#endif"]:
            conditions.pop()
        elif directive:
            raise ValueError(f"{family.name}: {line} is none of a family's conditions")
        elif all(conditions):
            kept.append(line)
    return re.findall(r"CUSPARSEAPI\s+HERON_FN\((\w+)\)\s*\(", "\n".join(kept))


def typed(compat):
    """The functions of the families that cusparse.h includes once for each type."""
    text = (compat / "cusparse.h").read_text()
    included = re.findall(r'^((?:#define HERON_HALF\n)?)#define HERON_FAMILY "(.*)"\n#include "cusparse/foreach_type.inc"$',
                          text, flags=re.M)
    if len(included) != text.count("HERON_FAMILY"):
        raise ValueError("cusparse.h: a family is not included as the others are")
    return {f"cusparse{letter}{name}" for half, family in included
            for letter in ("H" if half else "") + "SDCZ" for name in members(compat / family, letter in "CZ")}


def difference(what, found, expected):
    problems = [f"{what}: {name} is missing" for name in sorted(set(expected) - set(found))]
    return problems + [f"{what}: {name} is not expected" for name in sorted(set(found) - set(expected))]


def check_cusparse(library, source):
    expected = (source / "tests/facade/exported_symbols.txt").read_text().split()
    symbols = exported(library)
    second_names = [f"{name}_v2" for name in expected if SECOND_NAMES.match(name)]
    problems = difference("libcusparse exports", symbols, expected + second_names)
    declared_only = (source / "tests/facade/declared_only_symbols.txt").read_text().split()
    problems += [f"libcusparse lacks {name}, which NVIDIA's header declares" for name in declared_only if name not in symbols]
    problems += [f"{name} is in version node {node}" for name, node in symbols.items() if node != "libcusparse.so.12"]
    compat = source / "include/compat"
    headers = declared(compat, r"CUSPARSEAPI\s+(cusparse\w+)\s*\(") | typed(compat)
    problems += difference("the cuSPARSE headers declare", headers, expected)
    if dynamic(library, "SONAME") != ["libcusparse.so.12"]:
        problems.append(f"libcusparse's SONAME is {dynamic(library, 'SONAME')}")
    return problems


def check_clblas(compat, source):
    libraries = [compat / name for name in ("libclBLAS.so.2", "libclAmdBlas.so.1")]
    if not any(library.exists() for library in libraries):
        return []
    expected = (source / "tests/facade/clblas/symbols.txt").read_text().split()
    problems = []
    for library in libraries:
        problems += difference(f"{library.name} exports", exported(library), expected)
        if dynamic(library, "SONAME") != [library.name]:
            problems.append(f"{library.name}'s SONAME is {dynamic(library, 'SONAME')}")
    return problems


def check_heron(library, source):
    symbols = exported(library)
    public = {name for name, node in symbols.items() if node == "HERON_0"}
    headers = declared(source / "include/heron", r"HERON_API\s+[^;(]*?(heron_\w+)\s*\(")
    # kronmult.inc declares its functions once for each scalar type.
    names = re.findall(r"HERON_KRON_NAME\((\w+)\)\s*\(", (source / "include/heron/kronmult.inc").read_text())
    headers = set(headers) | {f"heron_{scalar}{name}" for name in names for scalar in "sd"}
    problems = difference("libheron exports in HERON_0", public, headers)
    problems += [f"libheron exports {name} in {node}" for name, node in symbols.items()
                 if node not in ("HERON_0", "HERON_PRIVATE")]
    if dynamic(library, "SONAME") != ["libheron.so.0"]:
        problems.append(f"libheron's SONAME is {dynamic(library, 'SONAME')}")
    return problems


def check_plugin(library):
    return difference(f"{library.name} exports", exported(library), ["heron_plugin"])


def check_cuda_size(library, architectures):
    if architectures != 1 or not library.exists() or library.stat().st_size <= CUDA_SIZE_LIMIT:
        return []
    return [f"{library.name} has {library.stat().st_size} bytes, more than {CUDA_SIZE_LIMIT}"]


def check_host_size(library):
    is_for_debugging = ".debug_info" in output("readelf", "-S", "-W", library)
    if is_for_debugging or library.stat().st_size <= HOST_SIZE_LIMIT:
        return []
    return [f"{library.name} has {library.stat().st_size} bytes, more than {HOST_SIZE_LIMIT}"]


def check_needed(library, needed):
    return [f"{library.name} needs {name}" for name in needed if re.match(r"lib(cuda|nv|cusparse|cublas)", name)]


def check_size(size, heron, needs):
    instrumented = any("san" in name for name in needs[heron])
    cpp_libraries = sum(not any(name.startswith("libstdc++") for name in needed) for needed in needs.values())
    limit = SIZE_LIMIT + CPP_LIBRARY_SIZE * cpp_libraries
    if size <= limit or instrumented:
        return []
    return [f"libheron and the facades have {size} bytes, more than {limit}"]


def main():
    build, source = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    architectures = int(sys.argv[3])
    heron = (build / "lib/libheron.so.0").resolve()
    # Those of older toolkits hand on to libcusparse.so.12: old_binaries_test has them.
    compat = {path.resolve() for path in (build / "lib/heron/compat").glob("lib*.so*")
              if not path.name.startswith("libcusparse.so.") or path.name == "libcusparse.so.12"}
    cusparse = (build / "lib/heron/compat/libcusparse.so.12").resolve()
    plugins = sorted((build / "lib/heron").glob("libheron-*.so"))
    problems = check_cusparse(cusparse, source) + check_heron(heron, source)
    problems += check_clblas(build / "lib/heron/compat", source)
    for plugin in plugins:
        problems += check_plugin(plugin)
    problems += check_cuda_size(build / "lib/heron/libheron-cuda.so", architectures)
    problems += check_host_size(build / "lib/heron/libheron-host.so")
    needs = {library: dynamic(library, "NEEDED") for library in compat | {heron}}
    for library, needed in needs.items():
        problems += check_needed(library, needed)
    size = sum(library.stat().st_size for library in needs)
    problems += check_size(size, heron, needs)
    print(f"{len(exported(cusparse))} functions of cuSPARSE, {len(plugins)} plug-in(s), libheron and facades {size} bytes")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
