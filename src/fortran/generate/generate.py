#!/usr/bin/env python3
"""Writes Heron's Fortran 77 wrappers (C++) and Fortran 2008 modules from its C headers.
usage: generate.py OUTPUT INCLUDE [--opencl FOLDER] [--list] COMPILER...

INCLUDE is Heron's include folder, FOLDER has CL/cl.h; without it clBLAS's part is left out. --list prints the names of C
and of the wrappers instead of writing anything."""
import argparse
import dataclasses
import pathlib

import write_device
import write_wrappers
from prototypes import read_header
from write_modules import Module

OWN = ("include/compat/", "include/heron/", "/compat/", "/heron/")


def without_handles(header):
    """Of cublas.h, the first interface: functions that know no handle."""
    first = {name: f for name, f in header.functions.items()
             if not name.endswith("_64") and not any(a.base == "cublasHandle_t" for a in f.arguments)}
    return dataclasses.replace(header, functions=first)


def read_all(options):
    include = pathlib.Path(options.include)
    folders = [include, include / "compat", include / "compat/cuda"] + ([options.opencl] if options.opencl else [])

    def read(file, functions, language="c", constants=None):
        return read_header(options.compiler, file, folders, OWN, functions, language, constants)

    headers = {"cudart": read("cuda_runtime_api.h", r"cuda[A-Z]\w+", constants=r"cuda[A-Z]\w+"),
               # C has no type for halves.
               "cusparse": read("cusparse.h", r"cusparse\w+", "c++", r"CUSPARSE_VER\w*"),
               "heron": read("heron/kronmult.h", r"heron_\w+", constants=r"HERON_VERSION_\w+")}
    if options.opencl:
        headers["clblas"] = read("clBLAS.h", r"clblas\w+")
        headers["clamdblas"] = read("clAmdBlas.h", r"clAmdBlas\w+")
    if (include / "compat/cublas_v2.h").exists():
        headers["cublas"] = without_handles(read("cublas.h", r"cublas\w+", "c++"))
        headers["cublas_v2"] = read("cublas_v2.h", r"cublas\w+", "c++", r"CUBLAS_VER\w*")
    # The libraries' own: by the preprocessor they came along.
    headers["cudart"].enums |= {name: headers["cusparse"].enums[name] for name in ("cudaDataType", "libraryPropertyType")}
    return headers


WRAPPED = {"cusparse": "cusparse.h", "clblas": "clBLAS.h", "clamdblas": "clAmdBlas.h", "cublas": "cublas.h"}


def modules(headers):
    cudart = headers["cudart"]
    yield Module("heron_cudart", cudart, ["heron_device"], "cudaError", set(),
                 more=(write_device.memory_generics(), write_device.memory_procedures()))
    of_cudart = set(cudart.enums) | set(cudart.handles) | set(cudart.structs)
    cusparse = headers["cusparse"]
    yield Module("heron_cusparse", cusparse, ["heron_cudart"], "cusparseStatus_t",
                 of_cudart | {name for name in cusparse.enums if not name.startswith("cusparse")})
    if "cublas_v2" in headers:
        cublas = headers["cublas_v2"]
        yield Module("heron_cublas", cublas, ["heron_cudart"], "cublasStatus_t",
                     of_cudart | {name for name in cublas.enums if not name.startswith("cublas")})
    yield Module("heron", headers["heron"], ["heron_device"], "heron_status", set(), raw_prefix="c_")
    if "clblas" in headers:
        yield Module("heron_clblas", headers["clblas"], ["heron_device"], "clblasStatus", set())
        opencl = {"cl_mem", "cl_command_queue", "cl_event", "cl_context"}
        yield Module("heron_clamdblas", headers["clamdblas"], ["heron_clblas"], "clAmdBlasStatus", opencl)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("include")
    parser.add_argument("--opencl")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("compiler", nargs="+")
    options = parser.parse_args()
    headers = read_all(options)
    if options.list:
        print("".join(write_wrappers.listing(headers[name]) for name in WRAPPED if name in headers), end="")
        return
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "heron_device.f90").write_text(write_device.device_module())
    for module in modules(headers):
        (options.output / f"{module.name}.f90").write_text(module.text())
    for name, c_header in WRAPPED.items():
        if name in headers:
            (options.output / f"{name}.cpp").write_text(write_wrappers.write(headers[name], c_header))


if __name__ == "__main__":
    main()
