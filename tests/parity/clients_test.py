#!/usr/bin/env python3
"""PyTorch, CuPy and JAX with Heron's libcusparse in place of NVIDIA's. usage: clients_test.py LIBCUSPARSE [client...]

Every script of clients/ runs in a process of its own with LIBCUSPARSE preloaded, and compares sparse operations of its client with
dense ones by NumPy. What fails is tried again with NVIDIA's library: what that fails, too, is the client's own trouble and is only
told. Exits with 77 where no client is installed or no GPU is there."""
import os
import pathlib
import subprocess
import sys

CLIENTS = {"torch": "torch", "cupy": "cupy", "jax": "jax"}
SKIPPED = 77


def installed(module):
    return subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode == 0


def outcomes(script, preloaded):
    """Lines `ok NAME` and `FAIL NAME: reason` of the script as a dictionary from name to None or the reason; and how it ended."""
    environment = dict(os.environ, CUDA_LAUNCH_BLOCKING="0", PYTHONUNBUFFERED="1", XLA_PYTHON_CLIENT_PREALLOCATE="false")
    if preloaded:
        environment["LD_PRELOAD"] = str(preloaded)
        environment["HERON_BACKEND"] = "cuda"
    run = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, timeout=280)
    found = {}
    for line in run.stdout.splitlines():
        word, _, rest = line.partition(" ")
        if word == "ok":
            found[rest] = None
        elif word == "FAIL":
            name, _, reason = rest.partition(": ")
            found[name] = reason
    if run.returncode not in (0, SKIPPED):
        found["the process"] = f"ended with {run.returncode}: {run.stderr.strip()[-600:]}"
    return found, run.returncode == SKIPPED


def check(client, library):
    script = pathlib.Path(__file__).parent / "clients" / f"{client}_sparse.py"
    with_heron, skipped = outcomes(script, library)
    if skipped:
        return None
    failed = {name: reason for name, reason in with_heron.items() if reason is not None}
    with_nvidia = outcomes(script, None)[0] if failed else {}
    wrong = 0
    for name, reason in failed.items():
        theirs = with_nvidia.get(name, "not reached")
        wrong += theirs is None
        print(f"{client}: {name}: {reason}" + ("" if theirs is None else f"  (NVIDIA's library: {theirs})"))
    print(f"{client}: {len(with_heron) - len(failed)} of {len(with_heron)} as they should be, {wrong} wrong with Heron alone")
    return wrong


def main():
    library = pathlib.Path(sys.argv[1]).resolve()
    clients = [c for c in sys.argv[2:] or CLIENTS if installed(CLIENTS[c])]
    results = [check(client, library) for client in clients]
    if all(r is None for r in results):
        print("skipped: neither PyTorch nor CuPy nor JAX with a GPU is here")
        sys.exit(SKIPPED)
    sys.exit(1 if any(results) else 0)


main()
