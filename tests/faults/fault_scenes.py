"""Functions of cuSPARSE whose calls meet faults that a preloaded library makes: what every test of them does.

The valid call of a function (tests/parity/status_calls.py) is made on a new handle with the first, the second, ... operation of a
kind failing, until none fails any more. Each time it answers a status of that kind or succeeds, the same call succeeds right after
it on the same handle, and when handle and objects are destroyed as much is alive as before.
"""
import ctypes
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "parity"))
import status_calls  # noqa: E402  pylint: disable=wrong-import-position
import statuses  # noqa: E402  pylint: disable=wrong-import-position

SUCCESS, ALLOC_FAILED, EXECUTION_FAILED, INTERNAL_ERROR, INSUFFICIENT_RESOURCES = 0, 2, 6, 7, 11
MOST_FAULTS = 2000
# Settings of the process and its log, and what has no valid call without code for an operator.
LEFT_OUT = re.compile(r"cusparse(Logger|Sp(MM|MV)Op|GetError|GetMat)")


class Faults:
    """A preloaded library of failing.h."""
    statuses = {ALLOC_FAILED}
    may_be_survived = True
    may_keep_blocks = False
    log = None

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.heron_test_live.restype = ctypes.c_long

    def fail_after(self, successes):
        if self.log:
            self.log.forget()
        self.library.heron_test_fail_after(ctypes.c_long(successes))

    def end(self):
        return self.library.heron_test_end_failing()

    def live(self):
        return self.library.heron_test_live()

    def problem_of(self, status, failures):
        """What is wrong with such an answer; None for a good one."""
        if status == SUCCESS and (self.may_be_survived or not failures):
            return None
        if status in self.statuses and failures:
            return None if not self.log or self.log.has_lines() else f"the log says nothing of {status}"
        return f"answers {status} after {failures} failures"


def is_preloaded():
    return "LD_PRELOAD" in os.environ


def start_preloaded(path, **environment):
    """Starts this script again with the library preloaded."""
    os.execve(sys.executable, [sys.executable] + sys.argv,
              dict(os.environ, LD_PRELOAD=str(pathlib.Path(path).resolve()), OMP_NUM_THREADS="1", **environment))


class Scene(status_calls.Scene):
    """One that can wait for the device, which may still use what a call was given."""

    def __init__(self, library_path, memory=None):
        self.device = None if memory else statuses.Device()
        super().__init__(ctypes.CDLL(library_path), *status_calls.read_header(), memory or self.device.memory)
        self.core = ctypes.CDLL("libheron.so.0")  # the library's own, which is loaded
        self.native = ctypes.c_void_p()
        self.core.heron_create(ctypes.byref(self.native))

    def synchronize(self):
        self.core.heron_synchronize(self.native)


def open_scene(library_path):
    """A scene whose library makes handles, or None."""
    scene = Scene(library_path)
    return scene if scene.create_handle() == SUCCESS else None


def functions(scene, only=""):
    return [p.name for p in scene.prototypes.values()
            if not LEFT_OUT.match(p.name) and p.result == "cusparseStatus_t" and re.search(only, p.name)]


def release(scene, name, status):
    """Destroys what a call has made, when the device has done with it."""
    scene.synchronize()
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


def call_failing(scene, faults, name, successes):
    """On a new handle: the status of a call with operations that fail from that one on, how many have failed, and the status of
    the call after it."""
    scene.create_handle()
    scene.before_call = lambda: faults.fail_after(successes)
    try:
        status = scene.call(name)
    finally:
        failures = faults.end()
        scene.before_call = None
    release(scene, name, status)
    after = call(scene, name)
    scene.library.cusparseDestroy(scene.handle)
    return status, failures, after


def problems_of(scene, faults, name):
    """What is wrong with a function, and how many of its calls have answered a status of the fault."""
    for _ in range(2):
        if call_failing(scene, faults, name, -1) != (SUCCESS, 0, SUCCESS):
            return [f"{name}: its valid call fails"], 0
    held, refused = faults.live(), 0
    for successes in range(MOST_FAULTS):
        status, failures, after = call_failing(scene, faults, name, successes)
        refused += status in faults.statuses
        where = f"{name}, fault {successes + 1}"
        if problem := faults.problem_of(status, failures):
            return [f"{where}: {problem}"], refused
        if after != SUCCESS:
            return [f"{where}: the call after it answers {after}"], refused
        if faults.live() > held:
            # What is kept for the next call is no leak: a second time nothing is added.
            grown = faults.live()
            call_failing(scene, faults, name, successes)
            if faults.live() > grown and not faults.may_keep_blocks:
                return [f"{where}: {faults.live() - grown} objects or blocks are lost"], refused
            held = faults.live()
        if not failures:
            return [], refused
    return [f"{name}: more than {MOST_FAULTS} faults"], refused
