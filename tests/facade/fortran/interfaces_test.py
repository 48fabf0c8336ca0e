#!/usr/bin/env python3
"""Every Fortran 77 wrapper and every bind(c) interface has the arguments of its C function: their number, whether they are
values or references, and their kinds. The C++ compiler says what C's functions and the wrappers take, gfortran what the
interfaces take (-fc-prototypes), so that nothing is taken from the generator that wrote them. usage: interfaces_test.py
BUILD SOURCE CXX FORTRAN GENERATED MODULES GENERATE... (how generate.py is called to list the names)"""
import pathlib
import re
import subprocess
import sys
import tempfile

build, source = map(pathlib.Path, sys.argv[1:3])
cxx, fortran = sys.argv[3:5]
generated, modules = map(pathlib.Path, sys.argv[5:7])
generate = sys.argv[7:]
opencl = generate[generate.index("--opencl") + 1] if "--opencl" in generate else None

INCLUDES = [source / "tests/facade/fortran", source / "src/fortran", source / "include", source / "include/compat",
            source / "include/compat/cuda", generated] + ([pathlib.Path(opencl)] if opencl else [])
FLAGS = ["-std=c++20", "-fsyntax-only", "-DCL_TARGET_OPENCL_VERSION=120", "-DDISABLE_CUSPARSE_DEPRECATED",
         *(f"-I{folder}" for folder in INCLUDES)]
# Module -> C's header and the names of its functions.
MODULES = {"heron_cusparse": ("cusparse.h", "cusparse"), "heron_cudart": ("cuda_runtime_api.h", "cuda"),
           "heron": ("heron/kronmult.h", "heron_")}
if opencl:
    MODULES |= {"heron_clblas": ("clBLAS.h", "clblas"), "heron_clamdblas": ("clAmdBlas.h", "clAmdBlas")}
if (generated / "heron_cublas.f90").exists():
    MODULES["heron_cublas"] = ("cublas_v2.h", "cublas")
# In C++ some names stand for two functions: this file has the other ones, which Fortran does not know.
OVERLOADS = "cublas/old_compute_types.inc"
DEVICE = {"device_real32": "device<float>", "device_real64": "device<double>", "device_int32": "device<int>",
          "device_int64": "device<std::int64_t>", "device_complex32": "device_struct<8>", "device_complex64": "device_struct<16>",
          "device_half": "device_struct<2>"}
# Exported, and in no header.
UNDECLARED = {"clblasSelectImplementation"}
OWN_WRAPPERS = r"cuda_\w+_|get_shifted_address_|cusparse_set_kernel_stream_"

problems = []


def output(*command, text=None):
    return subprocess.run([str(c) for c in command], input=text, check=True, capture_output=True, text=True).stdout


def exported(library, pattern):
    listed = output("nm", "-D", "--defined-only", library)
    return set(re.findall(rf" T ({pattern})(?:@@?\S+)?$", listed, re.M))


def difference(what, left, right):
    problems.extend(f"{what}: only the first has {name}" for name in sorted(left - right))
    problems.extend(f"{what}: only the second has {name}" for name in sorted(right - left))


def compile_checks(what, text):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "checks.cpp"
        file.write_text(text)
        result = subprocess.run([cxx, *FLAGS, file], capture_output=True, text=True)
    if result.returncode:
        failed = re.findall(r"static assertion failed: (\w+)", result.stderr)
        errors = [line for line in result.stderr.splitlines() if "error:" in line and "static assertion" not in line]
        problems.append(f"{what}: " + "\n".join([", ".join(failed), *errors[:10]]))


def symbols(folder, name):
    return set((source / "tests/facade" / folder / name).read_text().split())


def c_functions():
    return (symbols("", "exported_symbols.txt") | (symbols("clblas", "symbols.txt") if opencl else set())) - UNDECLARED


def is_of_cublas(name):
    return name.startswith("cublas")


def check_wrappers():
    pairs = dict(line.split() for line in output(*generate).splitlines())
    difference("functions that are wrapped, and the libraries'", {c for c in pairs if not is_of_cublas(c)}, c_functions())
    library = exported(build / "lib/libheron_fortran.so.0", r"\w+_")
    difference("the list of wrappers, and libheron_fortran", set(pairs.values()),
               {name for name in library if not re.fullmatch(OWN_WRAPPERS, name)})
    text = '#include "same_arguments.hpp"\n'
    text += "".join(f'#include "{path.name}"\n' for path in sorted(generated.glob("*.cpp")))
    text += "".join(f'static_assert(same_arguments::wrapper<decltype({c}), decltype({f})>::matches(), "{c}");\n'
                    for c, f in pairs.items())
    compile_checks("wrappers with other arguments", text)
    return len(pairs)


def struct_text(name, body):
    if name in DEVICE:
        return f"struct {name} : same_arguments::{DEVICE[name]} {{}};"
    if re.fullmatch(r"\s*void \*pointer;\s*", body):
        return f"struct {name} : same_arguments::handle {{}};"
    return f"struct {name} {{ {body} }};"


def in_order(structs):
    """gfortran writes them by name; one that has another as a member must follow it."""
    done = []
    while structs:
        ready = [name for name, body in structs.items() if not any(re.search(rf"^\s*{other}\b", body, re.M)
                                                                  for other in structs if other != name)]
        done += [struct_text(name, structs.pop(name)) for name in ready]
    return done


def includes_of(header):
    return f'#include <{header}>\n#include "same_arguments.hpp"\n'


def header_text(header):
    """What the header, the checks and all that they include say, but for the overloads."""
    kept, is_kept = [], True
    flags = [flag for flag in FLAGS if flag != "-fsyntax-only"]
    for line in output(cxx, *flags, "-E", "-x", "c++", "-", text=includes_of(header)).splitlines():
        if marker := re.match(r'# \d+ "([^"]*)"', line):
            is_kept = not marker.group(1).endswith(OVERLOADS)
        if is_kept:
            kept.append(line)
    return "\n".join(kept) + "\n"


def check_module(module, header, prefix):
    text = output(fortran, "-fc-prototypes", "-fsyntax-only", f"-I{modules}", "-J", scratch, generated / f"{module}.f90")
    text = re.sub(r"/\*.*?\*/", "", text)
    structs = dict(re.findall(r"typedef struct (\w+) \{(.*?)\} \w+;", text, re.S))
    prototypes = [(name, line) for line, name in re.findall(rf"^([\w ]+[ *]+({prefix}\w+) *\(.*\);)$", text, re.M)]
    checks = (header_text(header) if module == "heron_cublas" else includes_of(header)) + "#define _Bool bool\n"
    checks += "#define __GFORTRAN_FLOAT_COMPLEX std::complex<float>\n#define __GFORTRAN_DOUBLE_COMPLEX std::complex<double>\n"
    declarations = [*in_order(structs), *(line for _, line in prototypes)]
    checks += "namespace fortran {\n" + "\n".join(declarations) + "\n}\n"
    checks += "".join(f'static_assert(same_arguments::interface<decltype(::{name}), decltype(fortran::{name})>::matches(), '
                      f'"{name}");\n' for name, _ in prototypes)
    compile_checks(f"interfaces of {module} with other arguments", checks)
    return {name for name, _ in prototypes}


def check_modules():
    found = {module: check_module(module, *of) for module, of in MODULES.items()}
    named = [names for module, names in found.items() if module not in ("heron", "heron_cudart", "heron_cublas")]
    difference("interfaces, and functions of cuSPARSE and clBLAS", set().union(*named), c_functions())
    difference("interfaces of heron, and libheron", found["heron"], exported(build / "lib/libheron.so.0", r"heron_\w+"))
    declared = set(re.findall(r"CUDARTAPI\s+(cuda\w+)\(", (source / "include/compat/cuda/cuda_runtime_api.h").read_text()))
    difference("interfaces of heron_cudart, and cuda_runtime_api.h", found["heron_cudart"], declared)
    if "heron_cublas" in found:
        # NVIDIA's library exports more than headers declare.
        unknown = found["heron_cublas"] - symbols("cublas", "exported_symbols.txt")
        problems.extend(f"heron_cublas: libcublas lacks {name}" for name in unknown)
    return sum(map(len, found.values()))


def check_checks():
    """What is wrong on purpose is found."""
    wrong = ['wrapper<int(double), int(const float*)>', 'wrapper<int(double), int(const double*, const int*)>',
             'wrapper<int(size_t*), int(const std::int64_t*)>', 'wrapper<int(int), int(int)>',
             'interface<int(double), int(float)>', 'interface<int(double), int(double*)>', 'interface<int(int), int(long)>',
             'interface<int(int, int), int(int)>', 'interface<int(double*), int(device<float>)>',
             'interface<int(struct unknown*), int(device<double>)>', 'interface<void(int), int(int)>']
    text = '#include "same_arguments.hpp"\nusing namespace same_arguments;\n'
    compile_checks("what is wrong is not found", text + "".join(f"static_assert(!{w}::matches());\n" for w in wrong))


with tempfile.TemporaryDirectory() as scratch:
    wrappers, interfaces = check_wrappers(), check_modules()
    check_checks()
print(f"{wrappers} wrappers, {interfaces} interfaces: {'as in C' if not problems else 'WRONG'}")
print("\n".join(problems))
sys.exit(1 if problems else 0)
