"""What a C header declares, as the compiler's preprocessor sees it: functions, enumerations, structs, opaque handles.

The families of typed functions are expanded by the preprocessor, so that nothing is written down a second time. Only text of
Heron's own headers counts; what they include from elsewhere is read past."""
import dataclasses
import re
import subprocess


@dataclasses.dataclass(frozen=True)
class Argument:
    name: str
    base: str  # without const, struct, enum and stars
    stars: int
    is_const: bool  # what the last star points to
    length: int = 0  # of a member that is an array
    is_list: bool = False  # T* const*: an array of addresses, and not where an address is written


@dataclasses.dataclass(frozen=True)
class Function:
    name: str
    result: Argument
    arguments: tuple


@dataclasses.dataclass
class Header:
    functions: dict = dataclasses.field(default_factory=dict)
    enums: dict = dataclasses.field(default_factory=dict)  # name -> [(enumerator, value)]
    structs: dict = dataclasses.field(default_factory=dict)  # name -> [Argument]
    handles: dict = dataclasses.field(default_factory=dict)  # typedef of a pointer to an opaque struct -> tag
    callbacks: set = dataclasses.field(default_factory=set)
    aliases: dict = dataclasses.field(default_factory=dict)
    constants: dict = dataclasses.field(default_factory=dict)  # macros that are whole numbers

    def base_of(self, name):
        while name in self.aliases:
            name = self.aliases[name]
        return name


def preprocessed(compiler, header, language, includes):
    # Deprecation attributes would stand between a function's words.
    command = [*compiler, "-x", language, "-DDISABLE_CUSPARSE_DEPRECATED", "-DCL_TARGET_OPENCL_VERSION=120",
               *(f"-I{folder}" for folder in includes), "-"]
    return subprocess.run(command, input=f"#include <{header}>\n", check=True, capture_output=True, text=True).stdout


def own_text(text, own_folders):
    """The lines that come from files of these folders, or that these files' names end with."""
    kept, is_own = [], False
    for line in text.splitlines():
        marker = re.match(r'#\s*\d+ "([^"]*)"', line)
        if marker:
            is_own = any(folder in marker.group(1) for folder in own_folders)
        elif is_own and not line.startswith("#"):
            kept.append(line)
    return " ".join(" ".join(kept).split())


def parse_argument(text, position=0):
    text = re.sub(r"__attribute__\s*\(\(.*?\)\)", " ", text)
    length = re.search(r"\[\s*(\d*)\s*\]\s*$", text)
    text = text[:length.start()] if length else text
    is_const = bool(re.match(r"\s*const\b", text)) or bool(re.match(r"\s*[\w ]+\bconst\s*\*", text))
    stars = text.count("*")
    words = [w for w in re.findall(r"\w+", text) if w not in ("const", "struct", "enum")]
    simple = {"unsigned", "int", "long", "char", "signed", "short", "float", "double", "void", "bool", "_Bool"}
    name = words.pop() if len(words) > 1 and words[-1] not in simple else f"argument{position + 1}"
    if length and not length.group(1):
        stars += 1
    count = int(length.group(1)) if length and length.group(1) else 0
    return Argument(name, " ".join(words), stars, is_const, count, bool(re.search(r"\*\s*const\b", text)))


def value_of(text, known):
    text = re.sub(r"\(\s*\(?\s*(cl_int|int|unsigned int|unsigned)\s*\)", "", text) if "(" in text else text
    names = {name: str(value) for name, value in known.items()}
    text = re.sub(r"[A-Za-z_]\w*", lambda word: names.get(word.group(0), word.group(0)), text)
    text = re.sub(r"(?<=[0-9a-fA-F])[uUlL]+\b", "", text)
    if not re.fullmatch(r"[-+*/|&<>()\s0-9xXa-fA-F]+", text):
        return None
    try:
        return int(eval(text, {"__builtins__": {}}))  # digits and operators alone, by the test above
    except (SyntaxError, TypeError):
        return None


def parse_enumerators(body, known):
    found, following = [], 0
    for entry in body.split(","):
        entry = re.sub(r"__attribute__\s*\(\(.*?\)\)", " ", entry).strip()
        if not entry:
            continue
        name, _, value = (part.strip() for part in entry.partition("="))
        number = value_of(value, known) if value else following
        if number is None:
            raise ValueError(f"the value of {name}: {value}")
        found.append((name, number))
        known[name] = number
        following = number + 1
    return found


def parse_enums(text, header):
    known = {}
    for match in re.finditer(r"(typedef )?enum (\w+ )?\{([^{}]*)\}\s*(\w+)?\s*;", text):
        tag, name = (match.group(2) or "").strip(), match.group(4)
        header.enums[name or tag] = parse_enumerators(match.group(3), known)
        if name and tag and name != tag:
            header.aliases[tag] = name


def parse_structs(text, header):
    for match in re.finditer(r"(typedef )?struct (__attribute__\s*\(\([^;{]*?\)\)\)? ?)?(\w+ )?\{([^{}]*)\}\s*(\w+)?\s*;", text):
        tag, name = (match.group(3) or "").strip(), match.group(5)
        if "(*" in match.group(4):
            continue
        members = []
        for member in match.group(4).split(";"):
            first, *others = member.split(",")
            if not first.strip():
                continue
            members.append(parse_argument(first))
            members += [dataclasses.replace(members[-1], name=other.strip()) for other in others]
        header.structs[name or tag] = members
        if name and tag and name != tag:
            header.aliases[tag] = name


def parse_typedefs(text, header):
    for match in re.finditer(r"typedef (?:const )?struct (\w+) ?(?:const)? ?\* ?(\w+)\s*;", text):
        header.handles[match.group(2)] = match.group(1)
    for match in re.finditer(r"typedef void \((?:\w+ )?\*\s*(\w+)\)\s*\([^()]*\)\s*;", text):
        header.callbacks.add(match.group(1))
    for match in re.finditer(r"typedef (?:enum |struct )?([\w ]+?) (\w+)\s*;", text):
        if match.group(1) != match.group(2):
            header.aliases[match.group(2)] = match.group(1)


def parse_functions(text, header, names):
    for match in re.finditer(r"([\w][\w *]*?[\s*])(\w+)\s*\(([^(){}]*)\)\s*;", text):
        result, name, arguments = match.groups()
        if not re.fullmatch(names, name) or re.search(r"\b(return|typedef)\b", result):
            continue
        result = re.sub(r"\b(extern|static|inline)\b", "", result)
        listed = [] if arguments.strip() in ("", "void") else arguments.split(",")
        header.functions[name] = Function(name, parse_argument(result + " result"),
                                          tuple(parse_argument(a, i) for i, a in enumerate(listed)))


def parse_constants(macros, header, names):
    """Macros come in any order, and some are made of others."""
    known = header.constants
    waiting = [match.groups() for match in re.finditer(r"#define (\w+) (.+)", macros) if re.fullmatch(names, match.group(1))]
    while waiting:
        values = {name: value_of(text, known) for name, text in waiting}
        found = {name: value for name, value in values.items() if value is not None and -2**31 <= value < 2**31}
        if not found:
            return
        known |= found
        waiting = [(name, text) for name, text in waiting if name not in known]


def read_header(compiler, file, includes, own_folders, functions, language="c", constants=None):
    """functions and constants: regular expressions for the whole names."""
    header = Header()
    text = own_text(preprocessed([*compiler, "-E"], file, language, includes), own_folders)
    text = re.sub(r'__attribute__\s*\(\(\s*visibility\s*\("\w+"\)\s*\)\)', "", text)
    parse_enums(text, header)
    parse_structs(text, header)
    parse_typedefs(text, header)
    parse_functions(text, header, functions)
    if constants:
        parse_constants(preprocessed([*compiler, "-E", "-dM"], file, language, includes), header, constants)
    return header
