#!/usr/bin/env python3
"""heron check on programs that are built here. usage: check_test.py HERON [C_COMPILER]"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from programs_for_check import TOOLKIT, Maker, must

heron = pathlib.Path(sys.argv[1]).resolve()
compiler = sys.argv[2] if len(sys.argv) > 2 else "cc"
NODE_11, NODE_12 = "libcusparse.so.11", "libcusparse.so.12"


def check(*arguments, **environment):
    """(exit status, JSON)"""
    result = subprocess.run([heron, "check", "--output", "json", *map(str, arguments)], text=True, capture_output=True,
                            env={**os.environ, **environment})
    if not result.stdout:
        return result.returncode, result.stderr
    return result.returncode, json.loads(result.stdout)


def expect(what, condition, *shown):
    if not condition:
        sys.exit(f"{what}: " + "\n".join(json.dumps(s, indent=1, default=str) for s in shown))
    print(f"{what}: ok")


def functions(report, backend="host"):
    return {f["function"]: f[backend]["state"] for f in report["functions"]}


def needs(make, functions_of, soname, node="same", name="program", **options):
    stub = make.stub(soname, functions_of, node)
    return make.caller(name, functions_of, stub, **options)


def check_symbols(make):
    program = needs(make, ["cusparseCreate", "cusparseSgthr"], NODE_11)
    status, report = check(program)
    found = {f["function"]: (f["library"], f["version"], f["host"]["state"]) for f in report["functions"]}
    expect("an older soname", status == 0 and found == {
        "cusparseCreate": (NODE_11, NODE_11, "provided"), "cusparseSgthr": (NODE_11, NODE_11, "provided")}, status, report)
    must("strip", program)
    expect("a stripped program", check(program) == (0, report), report)

    program = needs(make, ["cusparseCreate"], "libcusparse.so.5.5", node=None)
    status, report = check(program)
    expect("no version nodes", status == 0 and report["functions"][0]["library"] == "libcusparse.so.5.5"
           and "version" not in report["functions"][0], status, report)

    status, report = check(needs(make, ["cusparseCreate"], NODE_12, node="libcusparse.so.99"))
    expect("a version node that is not Heron's", status == 2 and functions(report) == {"cusparseCreate": "missing"}, report)

    status, report = check(needs(make, ["cusparseCreate", "cusparseNoSuchFunction"], NODE_12))
    expect("a function that is missing", status == 2
           and functions(report) == {"cusparseCreate": "provided", "cusparseNoSuchFunction": "missing"}, report)

    status, report = check(needs(make, ["cusparseScsrmv"], NODE_11))
    expect("a limit", status == 1 and "GENERAL" in report["functions"][0]["host"]["limit"], report)

    program = needs(make, ["cusparseSpMMOp"], NODE_12)
    expect("NOT_SUPPORTED on one backend", (check(program, "--backend", "host")[0], check(program)[0]) == (2, 1))

    status, report = check(needs(make, ["cufftPlan1d"], "libcufft.so.99"))
    expect("another library of NVIDIA's", status == 2 and report["others_of_nvidia"] == ["libcufft.so.99"], report)

    program = needs(make, ["cusparseCreate"], "libcusparse.so.99")
    status, report = check(program)
    expect("a soname that Heron lacks", status == 2
           and "Heron has no libcusparse.so.99" in report["backends"]["host"]["reasons"], report)


def check_in_turn(make):
    stub = make.stub(NODE_12, ["cusparseCreate", "cusparseNotThere"])
    (make.folder / "inner").mkdir()
    make.caller("libinner.so", ["cusparseNotThere"], stub, shared=True)
    shutil.move(make.folder / "libinner.so", make.folder / "inner/libinner.so")
    program = make.caller("outer", ["libinner_so_entry"], make.folder / "inner/libinner.so", "-Wl,-rpath,$ORIGIN/inner",
                          f"-Wl,-rpath-link,{stub.parent}")
    status, report = check(program)
    expect("a library in turn, by a run path", status == 2 and functions(report) == {"cusparseNotThere": "missing"}
           and report["functions"][0]["files"] == [str(make.folder / "inner/libinner.so")], report)
    program = make.caller("outer", ["libinner_so_entry"], make.folder / "inner/libinner.so", f"-Wl,-rpath-link,{stub.parent}")
    status, report = check(program)
    expect("a library that is nowhere", status == 2 and report["not_found"] == ["libinner.so"], report)
    status, report = check(program, LD_LIBRARY_PATH=str(make.folder / "inner"))
    expect("LD_LIBRARY_PATH", report["not_found"] == [] and len(report["functions"]) == 1, report)

    folder = make.folder / "package"
    (folder / "lib").mkdir(parents=True)
    shutil.copy(make.folder / "inner/libinner.so", folder / "lib")
    shutil.copy(make.folder / "outer", folder)
    status, report = check(folder)
    expect("a folder", status == 2 and report["not_found"] == [] and len(report["files"]) >= 2
           and functions(report) == {"cusparseNotThere": "missing"}, report)


def check_lookups(make):
    program = make.folder / "opens"
    source = make.write("opens.c", """
        #include <dlfcn.h>
        #include <stdio.h>
        int main(void) {
            void* library = dlopen("libcusparse.so.12", RTLD_NOW);
            printf("cusparseNotAName failed\\n");
            return !dlsym(library, "cusparseSpMV") + !dlsym(library, "cusparseFutureFunction");
        }""")
    must(compiler, source, "-o", program, "-ldl")
    status, report = check(program)
    expect("names that are looked up", status == 1 and report["opened"] == [NODE_12]
           and functions(report) == {"cusparseSpMV": "provided", "cusparseFutureFunction": "limited"}, report)
    source = make.write("opens.c", '#include <dlfcn.h>\nint main(void) { return !dlopen("/opt/cuda/libcusparse.so.12", 1); }')
    must(compiler, source, "-o", program, "-ldl")
    status, report = check(program)
    expect("a library by its path", status == 1 and "/opt/cuda/libcusparse.so.12" in str(report["backends"]), report)


def check_device_code(make):
    source = make.write("device.c", """
        __asm__(".section .nv_fatbin,\\"a\\"\\n.ascii \\".visible .entry _Z5saxpyifPKfPf(\\"\\n.previous");
        const char* registered = "_Z5scalePdi";
        int main(void) { return 0; }""")
    must(compiler, source, "-o", make.folder / "device")
    must("strip", make.folder / "device")
    status, report = check(make.folder / "device")
    kernels = report["device_code"][0]["kernels"]
    expect("device code", status == 1 and kernels == ["saxpy(int, float, float const*, float*)", "scale(double*, int)"]
           and report["backends"]["host"]["verdict"] == "cannot run", report)
    expect("device code without an NVIDIA GPU", check(make.folder / "device", "--backend", "opencl")[0] == 2)
    source = make.write("static.c", "int cusparseCreate(void) { return 0; }\nint main(void) { return cusparseCreate(); }")
    must(compiler, source, "-o", make.folder / "static")
    status, report = check(make.folder / "static")
    expect("cuSPARSE that is linked in", status == 2 and report["linked_in"] == ["cuSPARSE"], report)


def check_fortran(make):
    program = make.fortran("fortran", make.stub(NODE_11, ["cusparseCreate"]))
    if not program:
        print("a Fortran program: skipped, no compiler")
        return
    for state in ("with symbols", "stripped"):
        status, report = check(program)
        expect(f"a Fortran program, {state}", status == 0 and functions(report) == {"cusparseCreate": "provided"}
               and report["functions"][0]["version"] == NODE_11 and report["not_found"] == [], status, report)
        must("strip", program)


def check_static_runtime(make):
    program = make.with_static_runtime("runtime")
    if not program:
        print("a static CUDA runtime: skipped, no toolkit")
        return
    for state in ("with symbols", "stripped"):
        status, report = check(program)
        expect(f"a static CUDA runtime, {state}", status == 1 and report["linked_in"] == ["CUDA runtime"]
               and check(program, "--backend", "host")[0] == 2, report)
        must("strip", program)
    # A library of NVIDIA's own has one too, and the program none.
    source = make.write("solver.c", "int cudaMalloc(void**, unsigned long);\nint solve(void) { void* p; return cudaMalloc(&p, 8); }")
    must(compiler, "-shared", "-fPIC", source, TOOLKIT / "lib64/libcudart_static.a", "-Wl,--exclude-libs,ALL", "-ldl", "-lpthread", "-lrt",
         "-Wl,-soname,libcusolver.so.99", "-o", make.folder / "libcusolver.so.99")
    status, report = check(make.caller("solved", ["solve"], make.folder / "libcusolver.so.99", f"-Wl,-rpath,{make.folder}"))
    expect("a static CUDA runtime in a library of NVIDIA's", report["linked_in"] == [] and report["functions"] == []
           and report["others_of_nvidia"] == ["libcusolver.so.99"], report)


def check_clblas(make):
    status, report = check(needs(make, ["clblasSetup", "clblasSaxpy"], "libclBLAS.so.2", node=None))
    if status == 2 and functions(report, "opencl")["clblasSetup"] == "missing":
        print("clBLAS: skipped, built without OpenCL")
        return
    program = needs(make, ["clblasSetup"], "libclBLAS.so.2", node=None)
    expect("clBLAS", (check(program)[0], check(program, "--backend", "host")[0]) == (0, 2), report)


def check_sources(make):
    make.write("sources/a.cpp", """
        // cusparseInComment(x);
        const char* text = "cusparseInText(x)";
        /* cusparseInBlock( */
        void f() { cusparseSpMV (handle); cusparseUnknownThing(1); cusparseHandle_t(handle); }""")
    make.write("sources/deep/b.f90", "! call cusparseInComment(x)\n call CUSPARSECREATE(h)\n print *, 'cusparseSgthr(x)'\n")
    make.write("sources/kernel.cu", "template <class T>\n__global__ void add(T* x) {}\nvoid g() { add<<<1, 2>>>(x); }\n")
    make.write("sources/notes.txt", "cusparseInNotes(x)")
    status, report = check("--sources", make.folder / "sources")
    expect("sources", status == 2 and functions(report) == {
        "cusparseSpMV": "provided", "cusparseUnknownThing": "missing", "cusparseCreate": "provided"}
        and [d["kernels"] for d in report["device_code"]] == [["add"]], report)
    status, report = check("--sources", make.folder / "sources/deep")
    expect("Fortran sources", status == 0 and functions(report) == {"cusparseCreate": "provided"}, report)


def check_other_installation(make):
    """An installation with a library whose functions are there for programs to load alone."""
    lib = make.folder / "other/lib"
    (lib / "heron/cublas").mkdir(parents=True)
    shutil.copy(next(heron.parents[2].glob("**/lib*/libheron.so.0")), lib / "libheron.so.0")
    source = make.write("cublas.c", """
        int cublasServed(void) { return 0; }
        __attribute__((section("heron_unsupported"))) int cublasUnserved(void) { return 15; }""")
    library = lib / "heron/cublas/libcublas.so.99"
    must(compiler, "-shared", "-fPIC", source, "-Wl,-soname,libcublas.so.99", "-o", library)
    must("strip", library)
    program = make.caller("blas", ["cublasServed", "cublasUnserved"], library)
    status, report = check(program, LD_LIBRARY_PATH=str(lib))
    expect("functions that are not served", status == 2
           and functions(report) == {"cublasServed": "provided", "cublasUnserved": "not supported"}, report)


def check_refusals(make):
    text = make.write("text", "no program\n")
    broken = make.folder / "broken"
    broken.write_bytes(b"\x7fELF" + bytes(12))
    (make.folder / "empty").mkdir()
    for what, reason in ((text, "is no ELF file"), (make.folder / "none", "there is no file"), (broken, "broken: "),
                         (make.folder / "empty", "no ELF file in")):
        status, said = check(what)
        expect(f"refused: {reason}", status == 2 and isinstance(said, str) and reason in said, said)
    expect("no argument", check()[0] == 2)


def main(folder):
    make = Maker(folder, compiler)
    if "without libelf" in str(check(heron)[1]):
        print("skipped: built without libelf")
        sys.exit(77)
    check_symbols(make)
    check_in_turn(make)
    check_lookups(make)
    check_device_code(make)
    check_fortran(make)
    check_static_runtime(make)
    check_clblas(make)
    check_sources(make)
    check_other_installation(make)
    check_refusals(make)


os.environ.pop("LD_LIBRARY_PATH", None)
with tempfile.TemporaryDirectory() as directory:
    main(directory)
