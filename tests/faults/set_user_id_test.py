#!/usr/bin/env python3
"""A set-user-id program loads no plug-in and writes no log that its user's environment names.

usage: set_user_id_test.py PROGRAM PLUGIN_FOLDER, a folder with another libheron-host.so. Exits with 77 where this is not root,
or where the temporary folder takes no such programs.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

NOBODY = 65534


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


program, plugins = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
if os.geteuid() != 0:
    skip("only root makes set-user-id programs")
problems = []
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    folder.chmod(0o777)
    if os.statvfs(folder).f_flag & os.ST_NOSUID:
        skip(f"{folder} takes no set-user-id programs")
    copy = folder / "program"
    shutil.copy(program, copy)

    def plugin_of(mode, **who):
        copy.chmod(mode)
        log = folder / f"log-{mode:o}"
        environment = {"HERON_PLUGIN_PATH": str(plugins), "HERON_LOG_FILE": str(log), "HERON_LOG_LEVEL": "5"}
        run = subprocess.run([copy], env=environment, capture_output=True, text=True, **who)
        if run.returncode:
            sys.exit(f"{copy.name} ends with {run.returncode}: {run.stdout}{run.stderr}")
        return pathlib.Path(run.stdout.strip()).parent, log.exists()

    loaded, has_log = plugin_of(0o755)
    if (loaded, has_log) != (plugins, True):
        problems.append(f"a program of the user's own loads from {loaded}, log: {has_log}")
    loaded, has_log = plugin_of(0o4755, user=NOBODY, group=NOBODY)
    if loaded == plugins or has_log:
        problems.append(f"a set-user-id program loads from {loaded}, log: {has_log}")
print("\n".join(problems) or "a set-user-id program ignores its user's environment")
sys.exit(1 if problems else 0)
