#!/usr/bin/env python3
"""Programs that take cl_mem, on Oclgrind, which checks each access of each work-item.

usage: oclgrind_test.py PROGRAM [CASE...]

Runs the test program's cases (all without any) on Oclgrind's device with its checks for accesses outside of buffers, races and
values that were never set. Fails where the program does, or where Oclgrind reports anything. First a kernel that writes behind its buffer
has to be reported, so that silence means something. Exits with status 77, which ctest counts as skipped, where there is no Oclgrind
(apt-get install oclgrind). It serves no shared virtual memory, so that nothing but cl_mem can be tested.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
DRIVERS = ("/usr/lib/oclgrind/liboclgrind-rt-icd.so", "/usr/local/lib/oclgrind/liboclgrind-rt-icd.so")
KERNEL = "kernel void wrong(global int* a) { a[get_global_id(0) + 1] = 1; }\n"
CALL = "wrong.cl\nwrong\n4 1 1\n4 1 1\n<size=16 fill=0>\n"


def reports_what_is_wrong(folder):
    (folder / "wrong.cl").write_text(KERNEL)
    (folder / "wrong.sim").write_text(CALL)
    found = subprocess.run(["oclgrind-kernel", "wrong.sim"], cwd=folder, capture_output=True, text=True)
    return "Invalid write" in found.stdout + found.stderr


def main():
    program, cases = sys.argv[1], sys.argv[2:]
    driver = next((d for d in DRIVERS if os.path.exists(d)), None)
    if not driver or not shutil.which("oclgrind-kernel"):
        print("skipped: there is no Oclgrind")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if not reports_what_is_wrong(folder):
            print("Oclgrind does not see a write behind a buffer")
            return 1
        (folder / "vendors").mkdir()
        (folder / "vendors" / "oclgrind.icd").write_text(driver + "\n")
        log = folder / "log"
        checks = {f"OCLGRIND_{check}": "1" for check in ("CHECK_API", "DATA_RACES", "UNINITIALIZED")}
        # What LLVM's optimiser makes Oclgrind 21.10 does not know all of, and some of it ends the process.
        environment = dict(os.environ, OCL_ICD_VENDORS=str(folder / "vendors"), XDG_CACHE_HOME=str(folder), OCLGRIND_LOG=str(log),
                           OCLGRIND_BUILD_OPTIONS="-cl-opt-disable", **checks)
        arguments = [",".join(case.replace(",", "\\,") for case in cases)] if cases else []
        run = subprocess.run([program, *arguments], env=environment, capture_output=True, text=True)
        print(run.stdout, run.stderr, sep="")
        if run.returncode:
            return run.returncode
        if not log.exists():
            print("the program has not used Oclgrind's device")
            return 1
        print(log.read_text())
        return 1 if log.stat().st_size else 0


if __name__ == "__main__":
    sys.exit(main())
