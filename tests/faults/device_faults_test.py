#!/usr/bin/env python3
"""Device memory that runs out, and programs, launches and copies that fail, in every function of cuSPARSE.

usage: device_faults_test.py LIBCUSPARSE FAILING_LIBRARY [--only PATTERN] [--kinds KIND,...] [--seconds N] [--seed N]

FAILING_LIBRARY is failing_opencl or failing_cuda, as HERON_BACKEND says. fault_scenes.py says what is asked of each function;
beyond it the log has to say something of each call that failed. With --seconds functions are taken in an order of the seed's,
which is another every day if none is given, until the time is over.
"""
import argparse
import itertools
import os
import random
import shutil
import sys
import tempfile
import time

import fault_scenes
from fault_scenes import ALLOC_FAILED, EXECUTION_FAILED, INSUFFICIENT_RESOURCES, INTERNAL_ERROR, SUCCESS

FAILED = {EXECUTION_FAILED, INTERNAL_ERROR, INSUFFICIENT_RESOURCES}
# Statuses, and whether a call may do without what has failed.
KINDS = {"programs": (FAILED, True), "memory": ({ALLOC_FAILED}, True), "kernels": (FAILED, False), "launches": (FAILED, False),
         "copies": (FAILED, False), "waits": (FAILED, True), "queues": (FAILED, True)}
# Until a program is kept: it is created, built, and the next one is created.
STEPS_OF_A_PROGRAM = 3


class Log:
    def __init__(self, path):
        self.file = open(path, encoding="utf-8", errors="replace")  # pylint: disable=consider-using-with

    def forget(self):
        self.file.seek(0, os.SEEK_END)

    def has_lines(self):
        return "[Error]" in self.file.read()


class DeviceFaults(fault_scenes.Faults):
    def __init__(self, path, log):
        super().__init__(path)
        self.log = log

    def choose(self, kind):
        self.library.heron_test_choose(kind.encode())
        self.statuses, self.may_be_survived = KINDS[kind]
        # Memory that the device may still use is not freed.
        self.may_keep_blocks = kind == "waits"


def program_problems(scene, faults, name):
    """A process builds a program once: so a call fails at its next program that is not built yet, until there is none."""
    refused, since_success = 0, 0
    for step in itertools.cycle(range(STEPS_OF_A_PROGRAM)):
        scene.create_handle()
        scene.before_call = lambda successes=step: faults.fail_after(successes)
        status = scene.call(name)
        failures = faults.end()
        scene.before_call = None
        fault_scenes.release(scene, name, status)
        scene.library.cusparseDestroy(scene.handle)
        refused += status in faults.statuses
        if problem := faults.problem_of(status, failures):
            return [f"{name}, step {step + 1} of a program: {problem}"], refused
        since_success = 0 if failures else since_success + 1
        if since_success == STEPS_OF_A_PROGRAM:
            break
    status = fault_scenes.call_failing(scene, faults, name, -1)[0]
    return ([] if status == SUCCESS else [f"{name}: answers {status} when programs can be built again"]), refused


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("failing")
    parser.add_argument("--only", default="")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--seed", type=int, default=int(time.time() // 86400))
    return parser.parse_args()


def run(options, log_path):
    scene = fault_scenes.open_scene(options.library)
    if not scene:
        print("skipped: there is no handle")
        return 77
    if fault_scenes.call(scene, "cusparseDroti") != SUCCESS:
        print("skipped: the device's kernels do not reach arrays in memory of the host")
        return 77
    faults = DeviceFaults(options.failing, Log(log_path))
    names = fault_scenes.functions(scene, options.only)
    if options.seconds:
        random.Random(options.seed).shuffle(names)
    end = time.monotonic() + (options.seconds or float("inf"))
    counts, problems, functions = dict.fromkeys(options.kinds.split(","), 0), [], 0
    for name in names:
        if time.monotonic() > end:
            break
        functions += 1
        for kind in counts:
            faults.choose(kind)
            ask = program_problems if kind == "programs" else fault_scenes.problems_of
            found, refused = ask(scene, faults, name)
            counts[kind] += refused
            problems += [f"{kind}: {line}" for line in found]
    print(f"{functions} of {len(names)} functions (seed {options.seed}); calls that failed: "
          + ", ".join(f"{count} for {kind}" for kind, count in counts.items()))
    print("\n".join(problems))
    return 1 if problems or not any(counts.values()) else 0


def main():
    options = parsed()
    if not fault_scenes.is_preloaded():
        # A folder of programs that no other process has built.
        folder = tempfile.mkdtemp()
        fault_scenes.start_preloaded(options.failing, XDG_CACHE_HOME=folder, HERON_LOG_LEVEL="1", HERON_LOG_FILE=f"{folder}/log")
    try:
        return run(options, os.environ["HERON_LOG_FILE"])
    finally:
        shutil.rmtree(os.environ["XDG_CACHE_HOME"])


sys.exit(main())
