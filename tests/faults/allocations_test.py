#!/usr/bin/env python3
"""Memory of the host that runs out at every allocation of every function of cuSPARSE.

usage: allocations_test.py LIBCUSPARSE FAILING_MALLOC [--only PATTERN]

fault_scenes.py says what is asked of each function.
"""
import sys

import fault_scenes


def run():
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    memory = fault_scenes.Faults(sys.argv[2])
    scene = fault_scenes.open_scene(sys.argv[1])
    if not scene:
        print("skipped: there is no handle")
        return 77
    memory.library.heron_test_find_libraries()
    problems, refused = [], 0
    names = fault_scenes.functions(scene, only)
    for name in names:
        found, count = fault_scenes.problems_of(scene, memory, name)
        problems += found
        refused += count
    print(f"{len(names)} functions, {refused} calls without memory")
    print("\n".join(problems))
    return 1 if problems or refused == 0 else 0


if not fault_scenes.is_preloaded():
    fault_scenes.start_preloaded(sys.argv[2], HERON_LOG_LEVEL="0")
sys.exit(run())
