#!/usr/bin/env python3
"""Memory that runs out at every allocation of every function of cuSPARSE.

usage: allocations_test.py LIBCUSPARSE FAILING_MALLOC [--only PATTERN]

The valid call of each function (tests/parity/status_calls.py) is made on a new handle with its first, its second, ... allocation
failing, until none fails any more. Each time it answers ALLOC_FAILED or succeeds, the same call succeeds right after it on the
same handle, and when handle and objects are destroyed the libraries hold as much memory as before.
"""
import ctypes
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "parity"))
import status_calls  # noqa: E402  pylint: disable=wrong-import-position

SUCCESS, ALLOC_FAILED, INVALID_VALUE = 0, 2, 3
MOST_ALLOCATIONS = 2000
# Settings of the process and its log, and what has no valid call without code for an operator.
LEFT_OUT = re.compile(r"cusparse(Logger|Sp(MM|MV)Op|GetError|GetMat)")


class Memory:
    """The preloaded failing_malloc."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.heron_test_live.restype = ctypes.c_long

    def fail_after(self, successes):
        self.library.heron_test_fail_after(ctypes.c_long(successes))

    def end(self):
        return self.library.heron_test_end_failing()

    def live(self):
        return self.library.heron_test_live()

    def find_libraries(self):
        self.library.heron_test_find_libraries()


def release(scene, name, status):
    """Destroys what a call has made."""
    prototype = scene.prototypes[name]
    destroyed = prototype.parameters[0][0].replace("Const", "") if name in scene.destroyers.values() else None
    for (kind, _), made in scene.objects.items():
        if made and kind != "cusparseHandle_t" and kind in scene.destroyers and kind != destroyed:
            getattr(scene.library, scene.destroyers[kind])(made)
    if destroyed and status != SUCCESS:
        for (kind, _), made in scene.objects.items():
            if kind == destroyed and made:
                getattr(scene.library, scene.destroyers[kind])(made)
    kind, argument = prototype.parameters[0] if prototype.parameters else ("", "")
    target = kind.removesuffix("*").replace("Const", "")
    if kind.endswith("*") and target in scene.destroyers and status == SUCCESS:
        made = ctypes.c_void_p.from_address(scene.slots[argument])
        getattr(scene.library, scene.destroyers[target])(made)


def call(scene, name):
    status = scene.call(name)
    release(scene, name, status)
    return status


def call_failing(scene, memory, name, successes):
    """On a new handle: the status of a call with allocations that fail from that one on, how many have failed, and the status of
    the call after it."""
    scene.create_handle()
    scene.before_call = lambda: memory.fail_after(successes)
    try:
        status = scene.call(name)
    finally:
        failures = memory.end()
        scene.before_call = None
    release(scene, name, status)
    after = call(scene, name)
    scene.library.cusparseDestroy(scene.handle)
    return status, failures, after


def problems_of(scene, memory, name):
    """What is wrong with a function, and how often it has answered that there is no memory."""
    for _ in range(2):
        if call_failing(scene, memory, name, -1) != (SUCCESS, 0, SUCCESS):
            return [f"{name}: its valid call fails"], 0
    held, refused = memory.live(), 0
    for successes in range(MOST_ALLOCATIONS):
        status, failures, after = call_failing(scene, memory, name, successes)
        refused += status == ALLOC_FAILED
        where = f"{name}, allocation {successes + 1}"
        if status not in (SUCCESS, ALLOC_FAILED) or (not failures and status != SUCCESS):
            return [f"{where}: answers {status}"], refused
        if after != SUCCESS:
            return [f"{where}: the call after it answers {after}"], refused
        if memory.live() > held:
            # What is kept for the next call is no leak: a second time nothing is added.
            grown = memory.live()
            call_failing(scene, memory, name, successes)
            if memory.live() > grown:
                return [f"{where}: {memory.live() - grown} blocks are lost"], refused
            held = memory.live()
        if not failures:
            return [], refused
    return [f"{name}: more than {MOST_ALLOCATIONS} allocations"], refused


def run():
    library_path, malloc_path = sys.argv[1:3]
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    prototypes, enums = status_calls.read_header()
    memory = Memory(malloc_path)
    import statuses  # pylint: disable=import-outside-toplevel
    device = statuses.Device()
    scene = status_calls.Scene(ctypes.CDLL(library_path), prototypes, enums, device.memory)
    if scene.create_handle() != SUCCESS:
        print("skipped: there is no handle")
        return 77
    memory.find_libraries()
    problems, functions, refused = [], 0, 0
    for p in prototypes:
        if LEFT_OUT.match(p.name) or p.result != "cusparseStatus_t" or (only and not re.search(only, p.name)):
            continue
        found, count = problems_of(scene, memory, p.name)
        problems += found
        functions += 1
        refused += count
    print(f"{functions} functions, {refused} calls without memory")
    print("\n".join(problems))
    return 1 if problems or refused == 0 else 0


if "LD_PRELOAD" not in os.environ:
    os.execve(sys.executable, [sys.executable] + sys.argv,
              dict(os.environ, LD_PRELOAD=str(pathlib.Path(sys.argv[2]).resolve()), OMP_NUM_THREADS="1", HERON_LOG_LEVEL="0"))
sys.exit(run())
