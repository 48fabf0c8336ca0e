#!/usr/bin/env python3
"""Manual pages (man1/heron*.1.gz) and bash's completion (heron.bash) from the help texts of the program.

usage: write_pages.py HERON OUTPUT_FOLDER
"""
import gzip
import pathlib
import re
import subprocess
import sys

heron, output = sys.argv[1], pathlib.Path(sys.argv[2])


def said(*words):
    return subprocess.run([heron, *words], check=True, text=True, capture_output=True).stdout


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def subcommands(help_text):
    part = help_text.partition("Subcommands:\n")[2]
    return re.findall(r"^  ([a-z][\w-]*)", part, re.M)


def options(help_text):
    part = help_text.partition("Options:\n")[2].partition("Subcommands:\n")[0]
    return sorted(set(re.findall(r"(?<![\w-])--[\w-]+", "\n".join(re.findall(r"^  (-[^ ]*)", part, re.M)))))


def page(name, help_text, version, others):
    first, _, rest = help_text.partition("\n")
    usage, _, rest = rest.partition("\n")
    usage = usage.removeprefix("Usage: ")
    sections = [f'.TH {name.upper()} 1 "" "{version}"', ".SH NAME", f"{escaped(name)} \\- {escaped(first)}",
                ".SH SYNOPSIS", escaped(usage), ".SH DESCRIPTION", ".nf", escaped(rest.strip("\n")), ".fi"]
    if others:
        sections += [".SH SEE ALSO", ",\n".join(f".BR {escaped(o)} (1)" for o in others).replace(",\n", "\n")]
    return "\n".join(sections) + "\n"


def completion(commands):
    cases = "\n".join(f"        {name}) words='{' '.join(words)}' ;;" for name, words in commands.items())
    return f"""# Completion of heron for bash.
_heron() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} words=
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W '{' '.join(commands)} --help --version' -- "$current"))
        return
    fi
    case ${{COMP_WORDS[1]}} in
{cases}
    esac
    [[ $current == -* ]] && COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _heron heron
"""


def main():
    (output / "man1").mkdir(parents=True, exist_ok=True)
    version, whole = said("--version").strip(), said("--help")
    names = subcommands(whole)
    helps = {"heron": whole, **{f"heron-{name}": said(name, "--help") for name in names}}
    for name, text in helps.items():
        others = [other for other in helps if other != name]
        with open(output / f"man1/{name}.1.gz", "wb") as file:
            file.write(gzip.compress(page(name, text, version, others).encode(), 9, mtime=0))
    (output / "heron.bash").write_text(completion({name: options(helps[f"heron-{name}"]) for name in names}))


main()
