#!/usr/bin/env python3
"""Checks what the Markdown pages and the sources refer to: files that pages link or name exist, and so does every id of a
measured result ("kron-2", tools/bench/results). usage: documents_test.py [REPOSITORY]"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2])
RESULTS = ROOT / "tools/bench/results"
SOURCES = {".h", ".hpp", ".cpp", ".cu", ".cuh", ".cl", ".c", ".inc", ".def", ".md", ".py", ".txt"}
TOP_FOLDERS = r"(?:src|backends|include|tests|tools|cmake|\.ci|\.github)"
SUFFIXES = r"(?:h|hpp|c|cpp|cu|cuh|cl|inc|def|py|md|txt)"
PLACEHOLDERS = re.compile(r"\b(FAMILY|TYPE|PREFIX)\b")

problems = []


def report(path, text, position, reason):
    line = text.count("\n", 0, position) + 1
    problems.append(f"{path.relative_to(ROOT)}:{line}: {reason}")


def tracked_files():
    """What git knows, or, in a copy without git, what lies there but for builds."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True)
    if listed.returncode == 0:
        return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]
    return [path for path in ROOT.rglob("*") if path.is_file() and not re.match(r"build|\.git/", str(path.relative_to(ROOT)))]


def is_there(name, page, files):
    """A path from the repository or the page, or the end of one: `kron/tiles.cl`."""
    if any((folder / name).exists() for folder in (ROOT, page.parent)):
        return True
    return any(file.as_posix().endswith("/" + name) for file in files)


def check_files_named(page, text, files):
    for link in re.finditer(r"\]\(([^)#:]+)\)", text):
        if not (page.parent / link.group(1)).exists():
            report(page, text, link.start(), f"links {link.group(1)}, which does not exist")
    for name in re.finditer(rf"`({TOP_FOLDERS}/[\w./-]+|[\w./-]+/[\w.-]+\.{SUFFIXES})`", text):
        if not PLACEHOLDERS.search(name.group(1)) and not is_there(name.group(1), page, files):
            report(page, text, name.start(), f"names {name.group(1)}, which does not exist")


def headings():
    """Ids in the order of their files, and families."""
    found = {}
    for page in sorted(RESULTS.glob("*.md")):
        ids = re.findall(r"^## ([a-z]+-\d+): ", page.read_text(), re.M)
        if any(not name.startswith(page.stem + "-") for name in ids):
            problems.append(f"{page.relative_to(ROOT)}: an id of another family")
        if len(set(ids)) != len(ids):
            problems.append(f"{page.relative_to(ROOT)}: an id twice")
        found[page.stem] = set(ids)
    return found


def check_ids(path, text, known):
    for name in re.finditer(rf"(?<![\w/.-])({'|'.join(known)})-\d+(?![\w-])", text):
        if name.group(0) not in known[name.group(1)]:
            report(path, text, name.start(), f"names the result {name.group(0)}, which does not exist")


def main():
    known = headings()
    checked = 0
    files = tracked_files()
    for path in files:
        if path.suffix not in SOURCES:
            continue
        text = path.read_text(errors="replace")
        if path.suffix == ".md":
            check_files_named(path, text, files)
        check_ids(path, text, known)
        checked += 1
    print("\n".join(problems))
    print(f"{checked} files, {sum(map(len, known.values()))} results: {'as said' if not problems else 'WRONG'}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
