#!/usr/bin/env python3
"""Makes the packages of a build, unpacks them into an empty root and runs a program with them: the .deb files, and the
.tar.gz in a folder of its own. usage: packages_test.py BUILD PROGRAM [CPACK]

PROGRAM was built against cuSPARSE and prints "done" on the host backend.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

build, program = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
cpack = sys.argv[3] if len(sys.argv) > 3 else "cpack"
CLEAN = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
WANTED = {
    "libheron0": [r"lib/libheron\.so\.0", r"lib/heron/libheron-host\.so"],
    "heron-compat": [r"lib/heron/compat/libcusparse\.so\.12", r"lib/heron/compat/libcusparse\.so\.9\.2"],
    "libheron-dev": [r"include/heron/heron\.h", r"include/heron/compat/cusparse\.h", r"lib/libheron\.so",
                     r"lib/cmake/Heron/HeronConfig\.cmake", r"lib/pkgconfig/heron\.pc"],
    "heron-tools": [r"bin/heron", r"share/man/man1/heron-run\.1\.gz", r"share/bash-completion/completions/heron"],
}
# Where there is a Fortran compiler.
OPTIONAL = {"libheron-fortran": [r"lib/libheron_fortran\.so\.0", r"include/heron/fortran/[\w.-]+/heron\.mod", r"lib/pkgconfig/heron-fortran\.pc"]}
NEEDED = {"libheron-fortran": ["libheron-dev"],
          "heron-compat": ["libheron0"], "libheron-dev": ["libheron0", "heron-compat"],
          "heron-tools": ["libheron0", "heron-compat", "libelf1"], "libheron0": ["libc6", "libstdc++6"]}
# The address is a setting (CPACK_PACKAGE_CONTACT).
ALLOWED = ("bogus-mail-host", "mail-address-loops", "maintainer-address", "malformed-contact")


def run(*command, **options):
    result = subprocess.run([str(c) for c in command], text=True, capture_output=True, **options)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}\nexit status {result.returncode}\n{result.stdout[-4000:]}{result.stderr[-4000:]}")
    return result.stdout


def check_contents(package, name):
    files = [line.split()[5].removeprefix("./usr/") for line in run("dpkg-deb", "--contents", package).splitlines()]
    for pattern in {**WANTED, **OPTIONAL}[name] + [f"share/doc/{re.escape(name)}/copyright"]:
        # Debian's own build puts libraries into a folder of the architecture.
        pattern = pattern.replace("lib/", r"lib/([\w-]+-linux-gnu/)?", 1) if pattern.startswith("lib/") else pattern
        if not any(re.fullmatch(pattern, f) for f in files):
            sys.exit(f"{name} has no {pattern}: {files}")
    depends = run("dpkg-deb", "-f", package, "Depends")
    for other in NEEDED[name]:
        # Ubuntu 24.04 calls some of Debian's libraries otherwise.
        if not re.search(rf"\b{re.escape(other)}(t64)?( |,|$)", depends, re.M):
            sys.exit(f"{name} does not depend on {other}: {depends}")
    return files


def check_lintian(packages):
    if not shutil.which("lintian"):
        print("lintian: skipped, it is not there")
        return
    said = subprocess.run(["lintian", "--allow-root", "--fail-on", "none", *map(str, packages)], text=True, capture_output=True).stdout
    errors = [line for line in said.splitlines() if line.startswith("E:") and not line.split()[2].startswith(ALLOWED)]
    if errors:
        sys.exit("\n".join(errors))
    print("lintian: ok")


def check_run(what, root):
    heron = root / "bin/heron"
    for words in (["info"], ["check", program]):
        result = subprocess.run([heron, *words], env=CLEAN, text=True, capture_output=True)
        if result.returncode or (words[0] == "info" and f"{root}/" not in result.stdout):
            sys.exit(f"{what}: heron {words}: {result.returncode}\n{result.stdout}{result.stderr}")
    result = subprocess.run([heron, "run", "--backend", "host", "--verbose", "--", program], env=CLEAN, text=True,
                            capture_output=True)
    if result.stdout != "done\n" or result.returncode or str(root) not in result.stderr:
        sys.exit(f"{what}: heron run: {result.returncode}\n{result.stdout}{result.stderr}")
    print(f"{what}: heron info, check and run: ok")


def loaded_libraries(root, words):
    """What the loader takes, to see that nothing comes from the build."""
    result = subprocess.run([root / "bin/heron", "run", "--backend", "host", "--", *words], text=True, capture_output=True,
                            env={**CLEAN, "LD_DEBUG": "files"})
    return set(re.findall(r"calling init: (\S+)", result.stderr))


def check_independence(what, root, own_program):
    loaded = loaded_libraries(root, [own_program])
    ours = {l for l in loaded if "heron" in pathlib.Path(l).name or "cusparse" in l}
    if not ours or any(not os.path.realpath(l).startswith(str(root.resolve())) for l in ours):
        sys.exit(f"{what}: loaded {ours}")
    print(f"{what}: nothing comes from the build: ok")


def main(scratch):
    run(cpack, "--config", build / "CPackConfig.cmake", "-B", scratch / "packages", "-G", "DEB;TGZ")
    packages = sorted((scratch / "packages").glob("*.deb"))
    names = {run("dpkg-deb", "-f", p, "Package").strip(): p for p in packages}
    if not set(WANTED) <= set(names):
        sys.exit(f"packages: {sorted(names)}")
    root, seen = scratch / "root", {}
    for name, package in names.items():
        if name in WANTED or name in OPTIONAL:
            for file in check_contents(package, name):
                if file and not file.endswith("/") and seen.setdefault(file, name) != name:
                    sys.exit(f"{file} is in {seen[file]} and in {name}")
        run("dpkg", "-x", package, root)
    print(f"packages {', '.join(names)}: ok")
    check_lintian(packages)
    # Without the run path of the build.
    own_program = scratch / "program"
    shutil.copy(program, own_program)
    if shutil.which("patchelf"):
        run("patchelf", "--remove-rpath", own_program)
    check_run(".deb", root / "usr")
    with tarfile.open(next((scratch / "packages").glob("*.tar.gz"))) as archive:
        archive.extractall(scratch / "moved")
    place = next((scratch / "moved").iterdir())
    check_run(".tar.gz", place)
    check_independence(".tar.gz", place, own_program)
    run("bash", "-n", place / "share/bash-completion/completions/heron")


if not shutil.which("dpkg-deb") or not shutil.which("dpkg-shlibdeps"):
    print("skipped: no dpkg-deb and dpkg-shlibdeps")
    sys.exit(77)
with tempfile.TemporaryDirectory() as directory:
    main(pathlib.Path(directory))
