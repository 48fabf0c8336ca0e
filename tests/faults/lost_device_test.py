#!/usr/bin/env python3
"""A device that is lost while handles, descriptors and analyses exist.

usage: lost_device_test.py LIBCUSPARSE FAILING_LIBRARY [--only PATTERN]

Objects and analyses for the valid call of every function of cuSPARSE (tests/parity/status_calls.py) are made. Then on CUDA a kernel
ends the context by a trap, which nothing brings back, and the log has to say that the device is lost; on OpenCL everything fails.
After it each function is called: one that gives the device work answers that it failed, and none that fails writes into the
caller's memory. Objects and handle can be destroyed, and the process ends by itself with its own exit status. FAILING_LIBRARY
is failing_cuda or failing_opencl, which counts the work.
"""
import copy
import ctypes
import os
import subprocess
import sys
import tempfile

import fault_scenes
import status_calls
import statuses
from fault_scenes import ALLOC_FAILED, EXECUTION_FAILED, INSUFFICIENT_RESOURCES, INTERNAL_ERROR, SUCCESS

SECONDS, DONE = 120, 42
TRAP = b""".version 7.0
.target sm_80
.address_size 64
.visible .entry lose() { trap; }
"""


class Call:
    """A call that is ready to be made."""

    def __init__(self, scene, name):
        self.scene, self.name = copy.copy(scene), name
        self.function, self.arguments = self.scene.prepared(name)
        self.scene.synchronize()  # the next call's arrays lie where this one's do

    def make(self):
        return self.function(*self.arguments)


def is_cuda():
    return os.environ["HERON_BACKEND"] == "cuda"


def memory_for_both():
    """Memory of the host that the device sees, and that stays when the device is lost, or None; and its owner."""
    device = statuses.Device()
    if not is_cuda():
        return device.memory, device
    return page_locked(device.runtime) if device.runtime else None, device


def page_locked(runtime):
    address = ctypes.c_void_p()
    if runtime.cudaMallocHost(ctypes.byref(address), ctypes.c_size_t(status_calls.ARENA)) != 0:
        return None
    return address.value


def lose_device(faults):
    """Whether the device is lost now."""
    if not is_cuda():
        faults.library.heron_test_choose(b"everything")
        faults.fail_after(0)
        return True
    driver = ctypes.CDLL("libcuda.so.1")
    module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
    assert driver.cuModuleLoadData(ctypes.byref(module), TRAP) == 0
    assert driver.cuModuleGetFunction(ctypes.byref(kernel), module, b"lose") == 0
    assert driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, None, None, None) == 0
    return driver.cuCtxSynchronize() != 0


def working_functions(scene, faults, only):
    """The functions whose valid call succeeds, and those of them that give the device work."""
    served, working = [], {"cusparseCreate"} if is_cuda() else set()
    for name in fault_scenes.functions(scene, only):
        count = []
        scene.before_call = lambda: count.append(faults.library.heron_test_work())
        status = scene.call(name)
        count.append(faults.library.heron_test_work())
        scene.before_call = None
        fault_scenes.release(scene, name, status)
        if status == SUCCESS:
            served.append(name)
        if count[1] > count[0]:
            working.add(name)
    return served, working


def ask(scene, calls, working):
    """What is wrong with the answers, and how many have failed. What a call was given is destroyed after it."""
    problems, failed, held = [], 0, ctypes.string_at(scene.memory, status_calls.ARENA)
    for call in calls:
        status = call.make()
        now = ctypes.string_at(scene.memory, status_calls.ARENA)
        failed += status != SUCCESS
        if status not in (SUCCESS, ALLOC_FAILED, EXECUTION_FAILED, INTERNAL_ERROR, INSUFFICIENT_RESOURCES):
            problems.append(f"{call.name}: answers {status}")
        if status == SUCCESS and call.name in working:
            problems.append(f"{call.name}: succeeds without a device")
        if status != SUCCESS and now != held:
            problems.append(f"{call.name}: answers {status}, but has written into the caller's memory")
        held = now
        fault_scenes.release(call.scene, call.name, status)
    return problems, failed


def run(log_path):
    memory, _owner = memory_for_both()
    scene = fault_scenes.Scene(sys.argv[1], memory) if memory else None
    if not scene or scene.create_handle() != SUCCESS:
        print("skipped: there is no device, or no CUDA runtime library")
        return 77
    faults = fault_scenes.Faults(sys.argv[2])
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    served, working = working_functions(scene, faults, only)
    calls = [Call(scene, name) for name in served]
    scene.synchronize()
    if not lose_device(faults):
        print("the device is still there")
        return 1
    problems, failed = ask(scene, calls, working)
    if failed == 0:
        problems.append("no call has failed")
    scene.library.cusparseDestroy(scene.handle)
    with open(log_path, encoding="utf-8", errors="replace") as log:
        if is_cuda() and "the device is lost" not in log.read():
            problems.append("the log does not say that the device is lost")
    print(f"{len(calls)} functions, {len(working)} of them with work for the device: {failed} calls failed")
    print("\n".join(problems))
    return 1 if problems else DONE


def main():
    if fault_scenes.is_preloaded():
        return run(os.environ["HERON_LOG_FILE"])
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, LD_PRELOAD=sys.argv[2], HERON_LOG_LEVEL="1", HERON_LOG_FILE=f"{folder}/log")
        try:
            status = subprocess.run([sys.executable] + sys.argv, env=environment, timeout=SECONDS, check=False).returncode
        except subprocess.TimeoutExpired:
            print(f"the process has not ended after {SECONDS} s")
            return 1
    if status not in (DONE, 77, 1):
        print(f"the process ended with {status}")
    return 0 if status == DONE else status if status == 77 else 1


sys.exit(main())
