#!/usr/bin/env python3
"""heron run and its reports, on programs that are built here.

usage: run_test.py HERON COMPAT_FOLDER SOURCE_FOLDER REPORT_PROGRAM [C_COMPILER]
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from programs_for_check import Maker, must

heron, compat, source, report_program = (pathlib.Path(p).resolve() for p in sys.argv[1:5])
compiler = sys.argv[5] if len(sys.argv) > 5 else "cc"
OLD_PROGRAM = source / "tests/facade/old_binaries/program.c"


def run(*words, **environment):
    return subprocess.run([heron, "run", *map(str, words)], text=True, capture_output=True,
                          env={**os.environ, **environment})


def fail(what, result):
    sys.exit(f"{what}: status {result.returncode}\n{result.stdout}{result.stderr}")


def expect(what, result, status=0, output=None, errors=()):
    if result.returncode != status or (output is not None and result.stdout != output) \
            or any(e not in result.stderr for e in errors):
        fail(what, result)
    print(f"{what}: ok")


def old_program(make, version, name, *options):
    """A program of a toolkit from before, linked against a library that fails every call."""
    soname, objects = f"libcusparse.so.{version}", make.folder / "program.o"
    must(compiler, "-std=c99", f"-DERA={1100 if version == '11' else 550}", "-c", OLD_PROGRAM, "-o", objects)
    undefined = [line.split()[-1] for line in must("nm", "-u", objects).splitlines()]
    stub = make.stub(soname, [n for n in undefined if n.startswith("cusparse")], None if version == "5.5" else "same",
                     folder=f"theirs-{name}")
    runtime = make.stub(f"libcudart.so.{'11.0' if version == '11' else '8.0'}",
                        [n for n in undefined if n.startswith("cuda")], folder=f"theirs-{name}")
    must(compiler, objects, stub, runtime, *options, "-o", make.folder / name)
    return make.folder / name


def check_libraries(make):
    program = old_program(make, "11", "old")
    for state in ("with symbols", "stripped"):
        expect(f"an older soname, {state}", run("--backend", "host", program), output="ok\n")
        must("strip", program)
    expect("an older soname without version nodes", run("--backend", "host", old_program(make, "5.5", "oldest")), output="ok\n")
    theirs = "-Wl,-rpath,$ORIGIN/theirs-{}"
    program = old_program(make, "11", "runpath", "-Wl,--enable-new-dtags", theirs.format("runpath"))
    if subprocess.run([program], capture_output=True).returncode == 0:
        sys.exit("the library in the program's run path does not fail")
    expect("a run path of the program's", run("--backend", "host", "--", program), output="ok\n")
    program = old_program(make, "5.5", "rpath", "-Wl,--disable-new-dtags", theirs.format("rpath"))
    result = run("--backend", "host", "--verbose", "--", program)
    expect("an RPATH of the program's", result, output="ok\n", errors=["loaded before the program", "LD_PRELOAD="])


def check_opened_libraries(make):
    text = """
        #include <dlfcn.h>
        #include <stdio.h>
        int main(int argc, char** argv) {
            void* library = dlopen(argv[1], RTLD_NOW);
            int (*create)(void**) = library ? (int (*)(void**))dlsym(library, "cusparseCreate") : 0;
            void* handle;
            (void)argc;
            if (!create || create(&handle)) return 5;
            puts("opened");
            return 0;
        }
        const char* named = "%s";"""
    must(compiler, make.write("opens.c", text % "libcusparse.so.12"), "-o", make.folder / "opens", "-ldl")
    for soname in ("libcusparse.so.12", "libcusparse.so.10"):
        expect(f"dlopen of {soname}", run("--backend", "host", "--", make.folder / "opens", soname), output="opened\n")
    must(compiler, make.write("opens.c", text % "/nowhere/libcusparse.so.12"), "-o", make.folder / "opens", "-ldl")
    expect("a library by its path", run("--", make.folder / "opens", "/nowhere/libcusparse.so.12"), 5,
           errors=["/nowhere/libcusparse.so.12 by this path"])
    script = "import ctypes; h = ctypes.c_void_p(); " \
             "print(ctypes.CDLL('libcusparse.so.12').cusparseCreate(ctypes.byref(h)))"
    expect("Python", run("--backend", "host", "--", "python3", "-c", script), output="0\n")
    shell = make.write("script.sh", "#!/bin/sh\nexec python3 -c \"$1\"\n")
    shell.chmod(0o755)
    expect("a script", run("--backend", "host", "--", shell, script), output="0\n")


def check_fortran(make):
    stub = make.stub("libcusparse.so.11", ["cusparseCreate"], folder="theirs-fortran")
    program = make.fortran("fortran", stub, f"-Wl,-rpath,{stub.parent}")
    if not program:
        print("a Fortran program: skipped, no compiler")
        return
    if subprocess.run([program], capture_output=True).returncode != 5:
        sys.exit("the library in the Fortran program's run path does not fail")
    for state in ("with symbols", "stripped"):
        expect(f"a Fortran program, {state}", run("--backend", "host", "--", program), output="created\n")
        must("strip", program)


def check_static_runtime(make):
    program = make.with_static_runtime("runtime-inside")
    if not program:
        print("a static CUDA runtime: skipped, no toolkit")
        return
    alone = subprocess.run([program], capture_output=True).returncode
    for state in ("with symbols", "stripped"):
        expect(f"a static CUDA runtime, {state}", run("--", program), alone,
               errors=["the CUDA runtime is linked in: nothing can stand in for it"])
        must("strip", program)


def check_runtime(make):
    """NVIDIA's runtime stands first where there is a GPU for it, and no other backend was asked for."""
    if not (compat.parent / "cudart/libcudart.so.12").exists():
        print("the CUDA runtime: skipped, built without it")
        return
    stub = make.stub("libcudart.so.12", ["cudaGetLastError"], folder="nvidia", answer=42)
    program = make.caller("runtime", ["cudaGetLastError"], stub)
    path = {"LD_LIBRARY_PATH": str(stub.parent)}
    if any(pathlib.Path(device).exists() for device in ("/dev/nvidiactl", "/dev/nvgpu", "/dev/nvhost-gpu", "/dev/dxg")):
        expect("NVIDIA's runtime stands first", run("--verbose", program, **path), 42, errors=["is NVIDIA's"])
    else:
        expect("a runtime without a GPU", run("--verbose", program, **path), errors=["there is no NVIDIA GPU"])
    expect("NVIDIA's runtime for cuda", run("--verbose", "--backend", "cuda", program, **path), 42, errors=["is NVIDIA's"])
    expect("Heron's by name", run("--verbose", "--backend", "cuda", "--own", "cudart", program, **path),
           errors=["it was asked for"])
    expect("Heron's on another backend", run("--verbose", "--backend", "host", program, **path), errors=["no other backend"])


def check_process(make):
    shell = "/bin/sh"
    expect("the exit status", run(shell, "-c", "exit 7"), 7)
    expect("a signal", run("--", shell, "-c", "kill -TERM $$"), -15)
    expect("options of the program", run("--backend", "host", shell, "-c", 'echo "$@" $HERON_BACKEND', "x", "--backend", "a b", "--"),
           output="--backend a b -- host\n")
    expect("variables", run("--device", "2", "--log", "4", "--log-file", "f", "--validate", "--", shell, "-c",
                            "echo $HERON_DEVICE $HERON_LOG_LEVEL $HERON_LOG_FILE $HERON_VALIDATE"), output="2 4 f 1\n")
    expect("its own library path stays", run(shell, "-c", "echo ${LD_LIBRARY_PATH##*:}", LD_LIBRARY_PATH="/somewhere"),
           output="/somewhere\n")
    expect("no such program", run("no-such-program"), 127, errors=["there is no program no-such-program"])
    expect("no program", run("--verbose"), 106, errors=["PROGRAM is required"])
    expect("a wrong option", run("--nothing", "--", shell), 109, errors=["--nothing"])
    expect("a wrong backend", run("--backend", "vulkan", "--", shell), 105, errors=["--backend"])
    text = make.write("text", "no program")
    text.chmod(0o755)
    expect("what cannot be executed", run(text), 126, errors=["cannot run"])
    must(compiler, make.write("static.c", "int main(void) { return 0; }"), "-static", "-o", make.folder / "static")
    expect("a static program", run(make.folder / "static"), errors=["linked statically"])


def counts(report):
    return {f["function"]: (f["calls"], f["failures"]) for f in report["functions"]}


# Of a product: a step is two operations; A's four values and columns, its three offsets, x and y are read or written once.
FLOPS, BYTES = 4 * 2, 4 * 12 + 3 * 4 + 16 + 16


def check_samples(make):
    """All calls are counted, also where few of them are measured and stand for the others."""
    file, products = make.folder / "many.json", 100000
    result = run("--backend", "host", "--report", file, "--", report_program, "many")
    whole = float(re.match(r"(\S+) ns each", result.stdout).group(1)) * 1e-9 * products
    report = json.loads(file.read_text())
    spmv = next(f for f in report["functions"] if f["function"] == "cusparseSpMV")
    if counts(report)["cusparseSpMV"] != (products + 1, 1) or counts(report)["cusparseSpMV_bufferSize"] != (products, 0):
        sys.exit(f"many calls: {report}")
    # All but one call do the same, so that the few stand for all of them exactly, but for the one.
    for name, each in (("flops", FLOPS), ("bytes", BYTES)):
        if abs(spmv[name] / (each * products) - 1) > 0.02:
            sys.exit(f"many calls: {name}: {spmv}")
    if not 0.02 * whole < spmv["host_seconds"] < 3 * whole or not 0 < spmv["device_seconds"] < 1.1 * spmv["host_seconds"]:
        sys.exit(f"many calls in {whole} s: {spmv}")
    print("many calls: ok")


def check_preparation(make):
    """The hint says what preprocess gains, where it does; on the host it leaves SpMV nothing."""
    def report_of(*arguments):
        file = make.folder / "preparation.json"
        expect(f"products, {' '.join(arguments)}", run("--backend", "host", "--report", file, "--", report_program, *arguments))
        return file, json.loads(file.read_text())

    def about_preparation(report):
        return [h for h in report["hints"] if "_preprocess" in h]

    file, report = report_of("transposed")
    products = 100000
    spmm = next(f for f in report["functions"] if f["function"] == "cusparseSpMM")
    gain, hints = spmm["preparation_gain"], about_preparation(report)
    said = f"about {gain['typical']:.1f}x with cusparseSpMM_preprocess once before ({gain['least']:.1f}x to {gain['most']:.1f}x " \
           f"where it was measured, on {gain['device']}: {gain['result']})"
    if abs(spmm["unprepared"] / products - 1) > 0.02 or len(hints) != 1 or said not in hints[0] \
            or not 1 <= gain["least"] <= gain["typical"] <= gain["most"]:
        sys.exit(f"a gain of preprocess: {spmm}, {hints}")
    family, _ = gain["result"].rsplit("-", 1)
    if f"\n## {gain['result']}: " not in (source / f"tools/bench/results/{family}.md").read_text():
        sys.exit(f"a gain of preprocess names {gain['result']}, which is no result")
    sums = json.loads(must(heron, "report", "--output", "json", file, file))
    if about_preparation(sums) != hints or sums["functions"][0]["preparation_gain"] != gain:
        sys.exit(f"a gain of preprocess, of two reports: {sums}")
    old = json.loads(file.read_text())
    del next(f for f in old["functions"] if f["function"] == "cusparseSpMM")["preparation_gain"]
    if about_preparation(json.loads(must(heron, "report", "--output", "json", make.write("old.json", json.dumps(old))))):
        sys.exit("a report without a gain has a hint")
    for arguments in (["prepared"], ["many"]):
        report = report_of(*arguments)[1]
        if about_preparation(report) or "unprepared" in str(report["functions"]):
            sys.exit(f"a hint that gains nothing, {arguments}: {report}")
    print("gains of preprocess: ok")


def check_order(make):
    def check(what, backend, output, *command):
        file = make.folder / "order.json"
        expect(f"unsorted indices on {backend}, {what}", run("--backend", backend, "--report", file, "--", *command), output=output)
        report = json.loads(file.read_text())
        spmv = next(f for f in report["functions"] if f["function"] == "cusparseSpMV")
        if spmv.get("unsorted") != 2 or not any("do not ascend, as in row 1" in h for h in report["hints"]):
            sys.exit(f"unsorted indices on {backend}, {what}: {report}")

    check("CSR in any memory", "host", "done\n", report_program, "unsorted")
    cudart = compat.parent / "cudart"
    if not compiler or not (cudart / "libcudart.so").exists():
        return
    program = make.folder / "unsorted"
    must(compiler, pathlib.Path(__file__).with_name("unsorted_program.c"), f"-I{source}/include/compat", f"-I{source}/include/compat/cuda",
         f"-L{compat}", f"-L{cudart}", "-lcusparse", "-lcudart", f"-Wl,-rpath-link,{compat.parent.parent}", "-o", program)
    backends = json.loads(must(heron, "info", "--json"))["backends"]
    for backend in (b["name"] for b in backends if b["available"] and b["name"] in ("host", "opencl")):
        check("CSR", backend, "3 7\n", program)
        check("COO", backend, "5 5\n", program, "coo")


def check_limit(make):
    """The share of the memory's bandwidth: of what a variable says, which heron run --limit measures."""
    file = make.folder / "limit.json"
    expect("a limit", run("--backend", "host", "--report", file, "--", report_program, "many", HERON_REPORT_BANDWIDTH="1e9"))
    report = json.loads(file.read_text())
    spmv = next(f for f in report["functions"] if f["function"] == "cusparseSpMV")
    line = next(l for l in must(heron, "report", file).splitlines() if l.startswith("cusparseSpMV "))
    if report["bandwidth"] != 1e9 or f" {100 * spmv['bytes'] / spmv['device_seconds'] / 1e9:.0f} % " not in line:
        sys.exit(f"a limit: {report}\n{line}")
    result = run("--verbose", "--backend", "host", "--report", file, "--limit", "--", report_program)
    bandwidth = json.loads(file.read_text())["bandwidth"]
    if result.returncode or not 1e8 < bandwidth < 1e13 or "HERON_REPORT_BANDWIDTH=" not in result.stderr:
        sys.exit(f"a limit that is measured: {bandwidth}, {result.stderr}")
    expect("a limit without a report", run("--limit", "--", report_program), 107, errors=["--report"])


def check_reports(make):
    file = make.folder / "report.json"
    expect("a program", run("--backend", "host", "--report", file, "--", report_program), output="done\n")
    report = json.loads(file.read_text())
    expected = {"cusparseCreate": (1, 0), "cusparseDestroy": (1, 0), "cusparseCreateCsr": (1, 0), "cusparseCreateDnVec": (2, 0),
                "cusparseSpMV_bufferSize": (200, 0), "cusparseSpMV": (201, 1)}
    if counts(report) != expected or report["backend"] != "host":
        sys.exit(f"a report: {report}")
    spmv = next(f for f in report["functions"] if f["function"] == "cusparseSpMV")
    if spmv["flops"] != 200 * FLOPS or spmv["bytes"] != 200 * BYTES or "unprepared" in spmv or "unsorted" in spmv \
            or not 0 < spmv["device_seconds"] <= spmv["host_seconds"] or "NULL" not in spmv["reason"]:
        sys.exit(f"a report: {spmv}")
    hints = "\n".join(report["hints"])
    for part in ("SpMV failed in 1 of 201 calls", "SpMV_bufferSize was called 200 times"):
        if part not in hints:
            sys.exit(f"no hint {part!r} in {hints}")
    print("a report: ok")

    check_samples(make)
    check_preparation(make)
    check_order(make)
    check_limit(make)
    expect("a second run", run("--backend", "host", "--report", file, "--", report_program, "thread"))
    if counts(json.loads(file.read_text())) != {name: (2 * c, 2 * f) for name, (c, f) in expected.items()}:
        sys.exit(f"threads: {file.read_text()}")
    expect("a program that forks", run("--backend", "host", "--report", file, "--", report_program, "fork"))
    files = sorted(make.folder.glob("report*.json"))
    calls = sorted(counts(json.loads(f.read_text()))["cusparseCreate"][0] for f in files)
    if calls != [1, 2] or file not in files:
        sys.exit(f"forks: {files}, {calls}")
    merged = json.loads(must(heron, "report", "--output", "json", *files))
    if counts(merged)["cusparseSpMV"] != (603, 3):
        sys.exit(f"merged: {merged}")
    expect("several programs in one run", run("--backend", "host", "--report", make.folder / "two.json", "--", "/bin/sh", "-c",
                                              f"{report_program}; {report_program}"))
    if len(list(make.folder.glob("two*.json"))) != 2:
        sys.exit("two programs in one run did not write two reports")
    script = "import ctypes; h = ctypes.c_void_p(); print(ctypes.CDLL('libcusparse.so.12').cusparseCreate(ctypes.byref(h)))"
    python = make.folder / "python.json"
    expect("a report of Python's", run("--backend", "host", "--report", python, "--", "python3", "-c", script), output="0\n")
    if counts(json.loads(python.read_text())) != {"cusparseCreate": (1, 0)}:
        sys.exit(f"a report of Python's: {python.read_text()}")
    for rank in "01":
        run("--backend", "host", "--report", make.folder / "mpi.json", "--", report_program, OMPI_COMM_WORLD_RANK=rank)
    ranks = [make.folder / f"mpi.rank{rank}.json" for rank in "01"]
    table = must(heron, "report", *ranks)
    if [json.loads(f.read_text())["rank"] for f in ranks] != [0, 1] or "402" not in table:
        sys.exit(f"ranks: {table}")
    print("ranks: ok")
    expect("a table on standard error", run("--backend", "host", "--report", "--", report_program), output="done\n",
           errors=["function ", "cusparseSpMV ", "hint: "])
    result = subprocess.run([heron, "report", make.write("no.json", "{}")], text=True, capture_output=True)
    expect("no report", result, 1, errors=["is no report in JSON"])
    expect("a report that cannot be written", run("--backend", "host", "--report", "/nowhere/report.json", "--", report_program),
           output="done\n", errors=["cannot write the report /nowhere/report.json"])
    environment = {**os.environ, "HERON_BACKEND": "host", "LD_LIBRARY_PATH": str(compat), "HERON_REPORT": str(make.folder / "%i.txt")}
    must(report_program, "silent", env=environment)
    written = [f for f in make.folder.glob("*.txt") if f.stem.isdigit()]
    if len(written) != 1 or "cusparseSpMV " not in written[0].read_text():
        sys.exit(f"HERON_REPORT without the launcher: {written}")
    print("HERON_REPORT without the launcher: ok")


def main(folder):
    make = Maker(folder, compiler)
    looked_at = "without libelf" not in run("--verbose", "/bin/true").stderr
    if looked_at:
        check_libraries(make)
        check_opened_libraries(make)
        check_fortran(make)
        check_static_runtime(make)
        check_runtime(make)
        check_process(make)
    else:
        print("built without libelf: programs are not looked at")
    check_reports(make)


for name in list(os.environ):
    if name.startswith("HERON_") or name in ("LD_LIBRARY_PATH", "LD_PRELOAD"):
        del os.environ[name]
with tempfile.TemporaryDirectory() as directory:
    main(directory)
