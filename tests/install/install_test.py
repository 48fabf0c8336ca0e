#!/usr/bin/env python3
"""Installs a build and uses it in every way that the README names: find_package, pkg-config, plain cc, and as a drop-in
for a program that was linked against NVIDIA's library. usage: install_test.py BUILD SOURCE [TOOLKIT_INCLUDE TOOLKIT_LIB]"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

build, source = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
toolkit = sys.argv[3:5]
consumer = source / "tests/install/consumer"


def run(*command, **environment):
    result = subprocess.run([str(c) for c in command], env={**os.environ, "HERON_BACKEND": "host", **environment},
                            text=True, capture_output=True)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}\nexit status {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def expect_answer(what, *command, **environment):
    output = run(*command, **environment)
    if "spmv ok" not in output:
        sys.exit(f"{what}: unexpected output {output!r}")
    print(f"{what}: ok")


def check_fortran(scratch, prefix, lib, compat, pkg_config):
    if not (lib / "libheron_fortran.so.0").exists():
        print("Fortran: skipped, built without")
        return
    project = consumer / "fortran"
    for what, option in (("Fortran by find_package", []), ("Fortran modules compiled anew", ["-DOTHER_COMPILER=ON"])):
        folder = scratch / f"fortran{len(option)}"
        run("cmake", "-G", "Ninja", "-S", project, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}", *option)
        run("cmake", "--build", folder)
        expect_answer(what, folder / "consumer")
    flags = run("pkg-config", "--cflags", "--libs", "heron-fortran", **pkg_config).split()
    command = re.search(r"^CMAKE_Fortran_COMPILER:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M).group(1)
    run(command, project / "spmv.f90", *flags, f"-Wl,-rpath-link,{lib}:{compat}:{lib / 'heron/cublas'}", "-o",
        scratch / "fortran_pc")
    paths = [lib, compat, lib / "heron/cublas", lib / "heron/cudart", os.environ.get("LD_LIBRARY_PATH", "")]
    expect_answer("Fortran by pkg-config", scratch / "fortran_pc", LD_LIBRARY_PATH=":".join(map(str, paths)))


def check_clblas(scratch, prefix, lib, compat, headers, pkg_config):
    if not (compat / "libclBLAS.so.2").exists():
        print("clBLAS: skipped, built without OpenCL")
        return
    source_file = consumer / "clblas.c"
    run("cmake", "-G", "Ninja", "-S", consumer / "clblas", "-B", scratch / "clblas", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", scratch / "clblas")
    expect_answer("clBLAS by find_package", scratch / "clblas/clblas")
    flags = run("pkg-config", "--cflags", "--libs", "clBLAS", **pkg_config).split()
    run("cc", "-std=c99", "-O0", source_file, *flags, f"-Wl,-rpath-link,{lib}", "-lOpenCL", "-o", scratch / "clblas_pc")
    expect_answer("clBLAS by pkg-config", scratch / "clblas_pc", LD_LIBRARY_PATH=f"{lib}:{compat}")
    for name in ("clBLAS", "clAmdBlas"):
        run("cc", "-std=gnu17", "-O0", source_file, f"-I{headers}", f"-L{compat}", f"-l{name}", f"-Wl,-rpath-link,{lib}",
            "-lOpenCL", "-o", scratch / name)
        # The libraries find libheron by themselves.
        expect_answer(f"both generations in lib{name}", scratch / name, LD_LIBRARY_PATH=str(compat))


def check_cublas(scratch, lib, compat, headers, pkg_config):
    source_file = consumer / "cublas.c"
    library = lib / "heron/cublas"
    expect_answer("cuBLAS by find_package", scratch / "cmake/cublas_consumer")
    flags = run("pkg-config", "--cflags", "--libs", "heron-cublas", "heron", **pkg_config).split()
    run("cc", "-std=c99", source_file, f"-I{headers / 'cuda'}", *flags, f"-Wl,-rpath-link,{lib}", "-o", scratch / "cublas_pc")
    expect_answer("cuBLAS by pkg-config", scratch / "cublas_pc", LD_LIBRARY_PATH=f"{lib}:{library}")
    if any(path.name.startswith("libcublas") for folder in (lib, compat) for path in folder.iterdir()):
        sys.exit("libcublas lies where it hides NVIDIA's")


def main(scratch):
    prefix = scratch / "prefix"
    run("cmake", "--install", build, "--prefix", prefix)
    lib = next(p.parent for p in prefix.rglob("libheron.so.0"))
    compat = lib / "heron/compat"
    include = prefix / "include"
    headers = include / "heron/compat"
    paths = f"{lib}:{compat}"

    run("cmake", "-G", "Ninja", "-S", consumer, "-B", scratch / "cmake", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", scratch / "cmake")
    expect_answer("find_package", scratch / "cmake/consumer")

    pkg_config = {"PKG_CONFIG_PATH": str(lib / "pkgconfig")}
    flags = run("pkg-config", "--cflags", "--libs", "heron-cusparse", "heron", **pkg_config).split()
    cuda = run("pkg-config", "--variable=cuda_includedir", "heron-cusparse", **pkg_config).strip()
    run("cc", "-std=c99", consumer / "spmv.c", f"-I{cuda}", *flags, f"-Wl,-rpath-link,{lib}", "-o", scratch / "pc")
    expect_answer("pkg-config", scratch / "pc", LD_LIBRARY_PATH=paths)

    includes = [f"-I{include}", f"-I{headers}", f"-I{headers / 'cuda'}"]
    libraries = [f"-L{lib}", f"-L{compat}", "-lcusparse", "-lheron", f"-Wl,-rpath-link,{lib}"]
    run("cc", "-std=c99", consumer / "spmv.c", *includes, *libraries, "-o", scratch / "plain")
    expect_answer("plain cc", scratch / "plain", LD_LIBRARY_PATH=paths)

    check_cublas(scratch, lib, compat, headers, pkg_config)
    check_clblas(scratch, prefix, lib, compat, headers, pkg_config)
    check_fortran(scratch, prefix, lib, compat, pkg_config)

    if not toolkit:
        print("drop-in for NVIDIA's library: skipped, no CUDA toolkit")
        return
    # Compiled with NVIDIA's headers and linked with NVIDIA's library; only the memory comes from Heron.
    run("cc", "-std=gnu99", consumer / "spmv.c", f"-I{toolkit[0]}", f"-I{include}", f"-L{toolkit[1]}", "-lcusparse",
        f"-L{lib}", "-lheron", "-Wl,--allow-shlib-undefined", "-o", scratch / "nvidia")
    expect_answer("drop-in by LD_LIBRARY_PATH", scratch / "nvidia", LD_LIBRARY_PATH=paths)
    expect_answer("drop-in by LD_PRELOAD", scratch / "nvidia", LD_LIBRARY_PATH=f"{lib}:{toolkit[1]}",
                  LD_PRELOAD=str(compat / "libcusparse.so.12"))


with tempfile.TemporaryDirectory() as directory:
    main(pathlib.Path(directory))
