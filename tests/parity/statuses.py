#!/usr/bin/env python3
"""The status of every function of cuSPARSE or cuBLAS with each argument made bad in turn, in Heron's library and beside NVIDIA's.

usage: statuses.py LIBRARY [--against LIBRARY | --against-nvidia] [--backend NAME] [--without-handle] [--write FILE]
                   [--types LETTERS] [--huge] [--jobs N] [--only PATTERN] [--list] [--seconds N]

The calls are made from the prototypes of Heron's headers (status_calls.py for cuSPARSE, blas_calls.py for cuBLAS, by the name of
LIBRARY): a valid call of every function, and ones with one argument NULL, negative, zero, another size, another or no
enumerator, a descriptor of another type, size or format, or one that is destroyed. They run in processes that are replaced when
a call ends one.

Without --against: exit status 1 if a call ends the process or hangs, or if the valid call of a function does not succeed that
statuses_unserved.txt (blas_statuses_unserved.txt) does not name. With it: a table of the calls that the two answer differently,
and exit status 1 if there is one that statuses_deviations.txt (blas_...) does not mean. NVIDIA's library makes a handle on a
machine with a GPU alone; without one the calls that need a handle are left out but for a NULL one, and their number is said.
Memory is managed memory of CUDA where there is a GPU (and no HERON_BACKEND=host, which --backend host sets for LIBRARY alone).
"""
import argparse
import collections
import ctypes
import math
import mmap
import os
import pathlib
import random
import re
import select
import signal
import struct
import sys
import time
import unittest.mock

import blas_calls
import status_calls

# What is no status is below all of these, which the functions that return an enumerator or a text never answer.
NOT_ASKED, ABSENT, HANGS, SIGNAL, DEVICE_ERROR = -1001, -1002, -1003, -1100, -2000
SECONDS_OF_A_CALL = 20
CUDARTS = ("libcudart.so.13", "/usr/local/cuda/lib64/libcudart.so.13", "libcudart.so.12", "/usr/local/cuda/lib64/libcudart.so.12")
NVIDIAS = object()
HERE = pathlib.Path(__file__).resolve().parent


def text(status, api):
    if DEVICE_ERROR < status <= SIGNAL:
        return f"dies ({signal.Signals(SIGNAL - status).name})"
    if -4000 < status <= DEVICE_ERROR:
        return f"device error {DEVICE_ERROR - status}"
    return {NOT_ASKED: "not asked", ABSENT: "no such function", HANGS: "hangs"}.get(status) or api.NAMES.get(status, str(status))


class Device:
    """Memory for the arrays of a call, and what the device says after it."""

    def __init__(self):
        self.runtime = None
        if os.environ.get("HERON_BACKEND") != "host":
            self.find_gpu()
        if self.runtime is None:
            self.pages = mmap.mmap(-1, status_calls.ARENA)
            self.memory = ctypes.addressof(ctypes.c_char.from_buffer(self.pages))

    def find_gpu(self):
        for name in CUDARTS:
            try:
                runtime = ctypes.CDLL(name)
            except OSError:
                continue
            address = ctypes.c_void_p()
            if runtime.cudaMallocManaged(ctypes.byref(address), ctypes.c_size_t(status_calls.ARENA), 1) == 0:
                self.runtime, self.memory = runtime, address.value
                return

    def error(self):
        return self.runtime.cudaDeviceSynchronize() if self.runtime else 0


def work(api, path, with_handle, prototypes, enums, calls, to):
    """Answers calls in this process until a device error ends it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    device = Device()
    library = ctypes.CDLL(path)
    scene = api.Scene(library, prototypes, enums, device.memory)
    if with_handle:
        scene.create_handle()
    for name, position, change in calls:
        status = ABSENT
        if scene.has(name):
            status = scene.call(name, position, change)
            status = NOT_ASKED if status is None else status
        error = device.error()
        os.write(to, struct.pack("i", DEVICE_ERROR - error if error else status))
        if error:
            break
    os._exit(0)


class Worker:
    """A process that answers a share of the calls, and its successors."""

    def __init__(self, subject, calls):
        self.subject = subject
        self.calls, self.answers = calls, []
        self.start()

    def start(self):
        read, write = os.pipe()
        errors = os.dup(2)
        self.pid = os.fork()
        if self.pid == 0:
            os.close(read)
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
            try:
                work(*self.subject, self.calls[len(self.answers):], write)
            except BaseException as problem:  # pylint: disable=broad-except
                os.write(errors, f"{type(problem).__name__}: {problem}\n".encode())
                os._exit(99)
        os.close(write)
        os.close(errors)
        self.pipe = read

    def is_done(self):
        return len(self.answers) >= len(self.calls)

    def read(self):
        data = os.read(self.pipe, 4096 * 4)
        self.answers += struct.unpack(f"{len(data) // 4}i", data)
        if not data:
            self.replace()

    def give_up(self):
        os.close(self.pipe)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)

    def replace(self, killed=False):
        os.close(self.pipe)
        if killed:
            os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 99:
            raise RuntimeError(f"cannot make the call {self.calls[len(self.answers)]}")
        if killed:
            self.answers.append(HANGS)
        elif os.WIFSIGNALED(status):
            self.answers.append(SIGNAL - os.WTERMSIG(status))
        elif os.WEXITSTATUS(status):
            self.answers.append(SIGNAL - signal.SIGABRT)
        if not self.is_done():
            self.start()


def ask(subject, calls, jobs, seconds=math.inf):
    """{call: status} of a library: its API, its path, whether it makes a handle, prototypes and enumerations.
    After so many seconds the rest is not asked."""
    share, end = 400, time.monotonic() + seconds
    waiting = [calls[i:i + share] for i in range(0, len(calls), share)]
    answers, active = {}, []
    while waiting or active:
        while waiting and len(active) < jobs:
            active.append(Worker(subject, waiting.pop(0)))
        ready, _, _ = select.select([w.pipe for w in active], [], [], min(SECONDS_OF_A_CALL, max(0, end - time.monotonic())))
        if time.monotonic() >= end:
            for worker in active:
                worker.give_up()
            return dict.fromkeys(calls, NOT_ASKED) | answers | {c: a for w in active for c, a in zip(w.calls, w.answers)}
        for worker in list(active):
            if not ready:
                worker.replace(killed=True)
            elif worker.pipe in ready:
                worker.read()
            if worker.is_done():
                answers.update(zip(worker.calls, worker.answers))
                active.remove(worker)
    return answers


def describe(call, prototypes):
    name, position, change = call
    return f"{name}()" if position is None else f"{name}({prototypes[name].parameters[position][1]} = {change})"


def is_dead(status):
    return status == HANGS or -4000 < status <= SIGNAL


def verdict(ours, theirs):
    if ours == theirs:
        return "same"
    if is_dead(theirs):
        return "theirs dies"
    if is_dead(ours):
        return "ours dies"
    if theirs == 0:
        return "ours stricter"
    return "ours laxer" if ours == 0 else "another status"


def compare(api, ours, theirs, calls, prototypes):
    """The table's lines, and the number of calls by verdict."""
    counts, groups = collections.Counter(), collections.defaultdict(list)
    for call in calls:
        if ABSENT in (ours[call], theirs[call]):
            counts["in one library alone"] += 1
        elif NOT_ASKED in (ours[call], theirs[call]):
            counts["not asked"] += 1
        elif ours[call] == 0 and theirs[call] == theirs.get((call[0], None, None)):
            # So theirs answers the valid call without a device.
            counts["same" if theirs[call] == 0 else "not asked"] += 1
        else:
            kind = verdict(ours[call], theirs[call])
            counts[kind] += 1
            if kind != "same":
                groups[kind, text(ours[call], api), text(theirs[call], api)].append(describe(call, prototypes))
    lines, meant = [], deviations(api)
    unexpected = 0
    for (kind, our_text, their_text), found in sorted(groups.items()):
        surprising = [line for line in found if not is_meant(meant, line, our_text, their_text)]
        unexpected += len(surprising) if kind != "theirs dies" else 0
        lines.append(f"{kind}: ours {our_text}, theirs {their_text}: {len(found)} calls, {len(surprising)} not in the table")
        lines += [f"  {line}" for line in surprising]
    return lines, counts, unexpected


def table(api, name):
    lines = (HERE / f"{api.TABLES}_{name}.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def deviations(api):
    """(pattern of a call, our status, theirs) of the differences that are meant."""
    rows = [line.split() for line in table(api, "deviations")]
    return [(re.compile(call), ours, theirs) for call, ours, theirs in rows]


def is_meant(meant, call, ours, theirs):
    squeezed = call.replace(" ", "")
    return any(pattern.match(squeezed) and a in ("*", ours) and b in ("*", theirs) for pattern, a, b in meant)


def check_alone(api, answers, prototypes):
    problems = [f"{describe(call, prototypes)}: {text(status, api)}" for call, status in answers.items()
                if is_dead(status)]
    # The functions whose valid call does not succeed on every backend.
    known = re.compile("|".join(table(api, "unserved")))
    for (name, position, _), status in answers.items():
        if position is None and status not in (0, ABSENT) and prototypes[name].result == api.STATUS and not known.fullmatch(name):
            problems.append(f"{name}: its valid call answers {text(status, api)}")
    return problems


def chosen(api, calls, types, only):
    def wanted(name):
        if api.LEFT_OUT.match(name) or only and not re.search(only, name):
            return False
        letter = api.type_letter(name)
        return letter is None or letter in types
    return [call for call in calls if wanted(call[0])]


def in_order_of_risk(calls):
    """At random, but first those that seldom end the process of the library that lets them through: a new one costs a context."""
    order = list(calls)
    random.Random(1).shuffle(order)
    return sorted(order, key=lambda call: call[2] in ("NULL", "destroyed"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--against")
    parser.add_argument("--against-nvidia", dest="against", action="store_const", const=NVIDIAS,
                        help="the library that HERON_NVIDIA_CUSPARSE or _CUBLAS names, or the CUDA toolkit's")
    parser.add_argument("--backend", help="of LIBRARY, whatever the other one's memory is")
    parser.add_argument("--without-handle", action="store_true", help="ask the other library as on a machine without a GPU")
    parser.add_argument("--write")
    parser.add_argument("--types", default="HSDCZ")
    parser.add_argument("--only")
    parser.add_argument("--huge", action="store_true")
    parser.add_argument("--list", action="store_true", help="every call with its status")
    parser.add_argument("--seconds", type=float, default=math.inf, help="ask the other library for so long")
    parser.add_argument("--jobs", type=int, default=min(os.cpu_count() or 1, 8))
    options = parser.parse_args()
    os.environ.setdefault("HERON_LOG_LEVEL", "0")
    api = blas_calls if "cublas" in pathlib.Path(options.library).name else status_calls
    if options.against is NVIDIAS:
        options.against = os.environ.get(*api.NVIDIAS)
    prototypes, enums = api.read_header()
    by_name = {p.name: p for p in prototypes}
    calls = chosen(api, api.all_calls(prototypes, enums, options.huge), options.types, options.only)
    with unittest.mock.patch.dict(os.environ, {"HERON_BACKEND": options.backend} if options.backend else {}):
        ours = ask((api, options.library, True, prototypes, enums), calls, options.jobs)
    lines = [f"{len(calls)} calls of {len({name for name, _, _ in calls})} functions"]
    counts = collections.Counter(text(status, api) for status in ours.values())
    lines.append("ours: " + ", ".join(f"{count} {status}" for status, count in counts.most_common()))
    if options.list:
        lines += [f"{describe(call, by_name)}: {text(status, api)}" for call, status in ours.items()]
    problems = check_alone(api, ours, by_name)
    if options.against:
        if not pathlib.Path(options.against).exists():
            print(f"skipped: there is no {options.against}")
            return 77
        order = in_order_of_risk(calls)
        theirs = ask((api, options.against, not options.without_handle, prototypes, enums), order, options.jobs, options.seconds)
        differences, verdicts, unexpected = compare(api, ours, theirs, calls, by_name)
        if unexpected:
            problems.append(f"{unexpected} differences are not in {api.TABLES}_deviations.txt")
        lines.append("compared: " + ", ".join(f"{count} {kind}" for kind, count in verdicts.most_common()))
        lines += differences
    output = "\n".join(lines + problems) + "\n"
    if options.write:
        pathlib.Path(options.write).write_text(output)
        print("\n".join(lines[:3]))
    else:
        print(output, end="")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
