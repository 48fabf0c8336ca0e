#!/usr/bin/env python3
"""tools/sanitize tells records of compute-sanitizer from what is proven to be none, and kernels that are not reached, with stand-ins
for ctest, compute-sanitizer and a test.

usage: sanitize_test.py SOURCES
"""
import json
import os
import stat
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SOURCES = Path(sys.argv.pop(1))
SYNC = (SOURCES / "backends/cuda/trisolve/sync.cuh").read_text().splitlines()
NARROW = (SOURCES / "backends/cuda/spmv/narrow.cu").read_text().splitlines()
LISTED = [line for line in (SOURCES / "tests/cuda/sanitized_tests.txt").read_text().splitlines() if line and line[0] != "#"]


def line_of(text, after, file):
    start = next(i for i, line in enumerate(file) if after in line)
    return next(i + 1 for i in range(start, len(file)) if text in file[i])


POST = line_of("volatile slot*>(box)->part[i] =", "static __device__ void post_in_block(slot*", SYNC)
FETCH = line_of("volatile slot*>(box)->part[i];", "static __device__ bool fetch_in_block(const slot*", SYNC)
SEEN = line_of("seen[place] =", "uint16_t shape_of_key(", NARROW)
KERNEL = "void heron::cuda::sweep_rows<heron::cuda::solve_work<float>, int, int, 1, true>(T1)+0x9b0"


def race(kernel, *lines, file="sync.cuh"):
    places = [f"{kernel} in {file}:{line}" if line else kernel for line in lines]
    return (f"========= Error: Race reported between Write access at {places[0]}\n"
            f"=========     and Read access at {places[1]} [8 hazards]\n========= \n")


INVALID = ("========= Invalid __global__ write of size 4 bytes\n=========     at heron::cuda::fill(int*)+0x40\n"
           "=========     by thread (0,0,0) in block (0,0,0)\n========= \n")


class Sanitize(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.script("the_test", 'printf "kernel a\\nkernel b\\nkernel cub::c\\nlaunched a\\n$MORE" > "$HERON_LAUNCH_LOG"')
        tests = [{"name": name.split("\t")[0], "command": [str(self.folder / "the_test")]} for name in LISTED]
        self.script("ctest", f"cat <<'END'\n{json.dumps({'tests': tests})}\nEND")

    def script(self, name, body):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def run_tool(self, *arguments, **variables):
        environment = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", **variables}
        return subprocess.run([sys.executable, SOURCES / "tools/sanitize", self.folder, *arguments], env=environment,
                              capture_output=True, text=True)

    def sanitized(self, output, *arguments):
        log = self.folder / "output"
        log.write_text("========= COMPUTE-SANITIZER\n" + output + "========= ERROR SUMMARY: 0 errors\n")
        self.script("compute-sanitizer", f'echo "device $CUDA_VISIBLE_DEVICES" >> {self.folder}/runs\n'
                    'while [ "$1" != --log-file ]; do shift; done\n' + f'cat {log} > "$2"')
        return self.run_tool("--piece", f"1/{len(LISTED)}", *arguments)

    def test_clean(self):
        run = self.sanitized("")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_finding(self):
        run = self.sanitized(INVALID, "--tool", "memcheck")
        self.assertEqual(run.returncode, 1)
        self.assertIn("Invalid __global__ write", run.stdout)

    def test_proven_pair_and_no_other(self):
        for lines, status in [((POST, FETCH), 0), ((None, None), 0), ((POST + 20, FETCH), 1), ((POST, 1), 1)]:
            run = self.sanitized(race(KERNEL, *lines), "--tool", "racecheck")
            self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        inlined = "heron::cuda::mailbox<heron::cuda::c64>::post_in_block(heron::cuda::mailbox<heron::cuda::c64>::slot *, unsigned int)+0x7ff0"
        for lines, status in [((POST, FETCH), 0), ((POST + 20, FETCH), 1)]:
            self.assertEqual(self.sanitized(race(inlined, *lines), "--tool", "racecheck").returncode, status)
        other = race(KERNEL.replace("sweep_rows", "sweep_items"), POST, FETCH)
        self.assertEqual(self.sanitized(other, "--tool", "racecheck").returncode, 1)
        shapes = KERNEL.replace("sweep_rows", "find_row_shapes")
        for lines, file, status in [((SEEN, SEEN - 7), "narrow.cu", 0), ((None, None), "", 0), ((SEEN, 1), "narrow.cu", 1),
                                    ((POST, FETCH), "sync.cuh", 1)]:
            run = self.sanitized(race(shapes, *lines, file=file), "--tool", "racecheck")
            self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        # Another tool's word for it is none that was proven.
        self.assertEqual(self.sanitized(race(KERNEL, POST, FETCH), "--tool", "memcheck").returncode, 1)

    def runs(self):
        return (self.folder / "runs").read_text().splitlines()

    def test_devices(self):
        run = self.sanitized("", "--piece", "1/10", "--devices", "2", "--jobs", "1")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertEqual(set(self.runs()), {"device 0", "device 1"})

    def test_goes_on_with_results(self):
        results = self.folder / "results"
        results.write_text(json.dumps(["memcheck", LISTED[0], "clean", [], 0, 1.0]) + "\n"
                           + json.dumps(["racecheck", LISTED[0], "too long", [], 0, 1.0]) + "\n" + '["initch')
        self.assertEqual(self.sanitized("", "--results", str(results)).returncode, 0)
        self.assertEqual(len(self.runs()), 3)
        self.assertEqual(self.sanitized("", "--results", str(results)).returncode, 0)
        self.assertEqual(len(self.runs()), 3)

    def test_cases_that_share_a_process(self):
        run = self.sanitized("", "--piece", "1/1", "--together", "1000", "--tool", "memcheck", "--jobs", "1")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        longest = len(LISTED) // 8
        self.assertEqual(len(self.runs()), longest + len({line.split("\t")[0] for line in LISTED[longest:]}))
        self.assertRegex(run.stdout, rf"memcheck +{len(LISTED)} +{len(LISTED)} ")

    def test_cases_that_share_a_process_which_is_not_clean_have_one_each(self):
        run = self.sanitized(INVALID, "--piece", "1/1", "--together", "2", "--tool", "memcheck", "--jobs", "1")
        self.assertEqual(run.returncode, 1)
        for line in LISTED:
            self.assertIn(f"memcheck: {line}: findings", run.stdout)
        self.assertGreater(len(self.runs()), len(LISTED))

    def test_time_that_is_up(self):
        results = self.folder / "results"
        run = self.sanitized("", "--seconds", "0", "--results", str(results))
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stdout, "not begun")
        self.assertEqual(results.read_text().strip(), "")

    def test_all_processes_of_a_test_that_is_too_long_end(self):
        self.script("compute-sanitizer", f"(sleep 2; touch {self.folder}/survived) & wait")
        run = self.run_tool("--piece", f"1/{len(LISTED)}", "--limit", "0.5")
        self.assertEqual(run.returncode, 1)
        time.sleep(2)
        self.assertFalse((self.folder / "survived").exists())

    def test_racecheck_tells_all_records_and_products_share_nothing_in_clusters(self):
        self.script("compute-sanitizer", f'echo "clusters=$HERON_CUDA_CLUSTERS $*" >> {self.folder}/runs\n'
                    'while [ "$1" != --log-file ]; do shift; done\necho "========= COMPUTE-SANITIZER" > "$2"')
        self.assertEqual(self.run_tool("--piece", f"1/{len(LISTED)}", "--jobs", "1").returncode, 0)
        of_tool = {line.split("--tool ")[1].split()[0]: line for line in self.runs()}
        self.assertRegex(of_tool["racecheck"], "^clusters=0 .*--print-limit 100000 ")
        self.assertRegex(of_tool["memcheck"], "^clusters= ")

    def test_tool_that_does_not_start(self):
        self.script("compute-sanitizer", "exit 0")
        self.assertEqual(self.run_tool("--piece", f"1/{len(LISTED)}").returncode, 1)

    def test_kernels_that_are_not_reached(self):
        run = self.run_tool("--reach")
        self.assertEqual(run.returncode, 1)
        self.assertIn("3 kernels, of which 1 are not reached\n  b\n", run.stdout)
        self.assertEqual(self.run_tool("--reach", MORE="launched b\\n").returncode, 0)


unittest.main()
