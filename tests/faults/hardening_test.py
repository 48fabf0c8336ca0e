#!/usr/bin/env python3
"""How the built libraries and the program are hardened, as readelf tells.

usage: hardening_test.py BUILD_FOLDER [--release]

Stacks and data are not executable, code is not writable, relocations are read-only and resolved at load; on x86 every
exported function is a landing pad (CET) where the compiler makes them; in release builds string functions are checked
(_FORTIFY_SOURCE), and the compile commands have -fstack-clash-protection. A process that computes on the host has no memory
that it may both write and run.
"""
import json
import pathlib
import platform
import re
import subprocess
import sys

ENDBR64 = b"\xf3\x0f\x1e\xfa"
WORK = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
handle = ctypes.c_void_p()
assert library.cusparseCreate(ctypes.byref(handle)) == 0
values, indices, gathered = (ctypes.c_float * 8)(*range(8)), (ctypes.c_int * 2)(5, 3), (ctypes.c_float * 2)()
assert library.cusparseSgthr(handle, 2, values, gathered, indices, 0) == 0
assert list(gathered) == [5, 3]
print(open("/proc/self/maps").read())
"""


def output(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def segments(library):
    """(type, offset in the file, address, size in the file, flags) of the program headers."""
    pattern = r"^\s+(\w+)\s+(0x[0-9a-f]+)\s+(0x[0-9a-f]+)\s+0x[0-9a-f]+\s+(0x[0-9a-f]+)\s+0x[0-9a-f]+\s+([RWE ]{3})"
    found = re.findall(pattern, output("readelf", "-lW", library), flags=re.M)
    return [(kind, int(offset, 0), int(address, 0), int(size, 0), flags.replace(" ", "")) for kind, offset, address, size, flags in found]


def functions(library):
    """(name, address) of the exported functions."""
    pattern = r"^\s*\d+:\s+([0-9a-f]+)\s+\d+\s+FUNC\s+(?:GLOBAL|WEAK)\s+DEFAULT\s+\d+\s+(\S+)"
    return [(name, int(address, 16)) for address, name in re.findall(pattern, output("readelf", "--dyn-syms", "-W", library), flags=re.M)]


def without_landing_pad(library):
    """The exported functions that do not begin with endbr64."""
    content = library.read_bytes()
    parts = [part for part in segments(library) if part[0] == "LOAD"]
    bare = []
    for name, address in functions(library):
        offset = next(o + address - a for _, o, a, size, _ in parts if a <= address < a + size)
        if content[offset:offset + 4] != ENDBR64:
            bare.append(name)
    return bare


def hands_on(library):
    """Whether it is a library of an older name, whose functions are jumps into the newest, written in assembler."""
    name = library.name.split(".so")[0]
    return any(needed.startswith(f"{name}.so") for needed in re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-dW", library)))


def problems_of(library, has_cet):
    problems = []
    parts = segments(library)
    kinds = [(part[0], part[4]) for part in parts]
    if not any(kind == "LOAD" and "E" in flags for kind, flags in kinds):
        problems.append("readelf tells of no code: this test reads it wrongly")
    if any("W" in flags and "E" in flags for _, flags in kinds):
        problems.append("a segment is writable and executable")
    if not any(kind == "GNU_RELRO" for kind, _ in kinds):
        problems.append("relocations stay writable")
    if not any(kind == "GNU_STACK" for kind, _ in kinds):
        problems.append("the stack may be executable")
    if not re.search(r"BIND_NOW|Flags:.*\bNOW\b", output("readelf", "-dW", library)):
        problems.append("symbols are resolved late")
    bare = without_landing_pad(library) if has_cet and not hands_on(library) else []
    if bare:
        problems.append(f"{len(bare)} exported functions are no landing pads, such as {bare[0]}")
    return [f"{library.name}: {problem}" for problem in problems]


def fortified(library):
    return re.search(r"__\w+_chk\b", output("readelf", "--dyn-syms", "-W", library)) is not None


def commands_without(build, flag):
    commands = json.loads((build / "compile_commands.json").read_text())
    ours = [c for c in commands if re.search(r"/(src|backends)/.*\.(c|cpp)$", c["file"])]
    return sorted({pathlib.Path(c["file"]).name for c in ours if flag not in c["command"]}), len(ours)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    is_release = "--release" in sys.argv
    libraries = sorted({path.resolve() for folder in ("lib", "lib/heron", "lib/heron/compat") for path in (build / folder).glob("lib*.so*")})
    if not libraries:
        print("there are no libraries")
        return 1
    flags = (build / "compile_commands.json").read_text()
    has_cet = platform.machine() == "x86_64" and "-fcf-protection" in flags
    problems = [problem for library in libraries for problem in problems_of(library, has_cet)]
    if is_release:
        if not fortified((build / "lib/libheron.so.0").resolve()):
            problems.append("libheron: nothing is checked by _FORTIFY_SOURCE")
        bare, count = commands_without(build, "-fstack-clash-protection")
        if count == 0 or bare:
            problems.append(f"without -fstack-clash-protection: {', '.join(bare) or 'no source was found'}")
    maps = output(sys.executable, "-c", WORK, build / "lib/heron/compat/libcusparse.so.12",
                  env={"HERON_BACKEND": "host", "PATH": "/usr/bin:/bin"})
    problems += [f"memory that may be written and run: {line}" for line in maps.splitlines() if re.match(r"\S+ .wx", line)]
    print(f"{len(libraries)} libraries{', CET' if has_cet else ''}")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
