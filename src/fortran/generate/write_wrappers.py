"""Fortran 77 wrappers of C functions: one function each, named as gfortran calls externals, all arguments by reference,
handles and device addresses as integer*8."""
from conventions import fortran_name, is_host

COMPLEX = {"float2": "std::complex<float>", "double2": "std::complex<double>"}
INCLUDES = '#include "by_reference.hpp"\n'


def text_of(argument, header, function):
    """The wrapper's parameter and what it hands on."""
    name = argument.name
    c_type = ("const " if argument.is_const else "") + argument.base + "*" * argument.stars
    if argument.stars == 0:
        if argument.base in header.callbacks:
            return f"{argument.base} {name}", name
        if is_address(argument, header):
            return f"const address* {name}", f"address_of<{argument.base}>({name})"
        return value_text(argument, header)
    if argument.base == "char" and argument.is_const and argument.stars == 1:
        return f"const char* {name}", f"c_string({name}, {name}_length).c_str()"
    if is_host(argument, header, function):
        return f"{c_type} {name}", name
    if argument.is_list:
        return f"const address* {name}", f"address_of<{argument.base}* const*>({name})"
    return f"const address* {name}", f"address_of<{c_type}>({name})"


def value_text(argument, header):
    name, base = argument.name, header.base_of(argument.base)
    if base in header.enums:
        return f"const int* {name}", f"static_cast<{argument.base}>(*{name})"
    if base == "bool":
        return f"const int* {name}", f"*{name} != 0"
    # C's pairs of numbers may be aligned as Fortran's complex numbers need not be.
    if base in header.structs or base in ("cl_float2", "cl_double2"):
        return f"const void* {name}", f"value_of<{argument.base}>({name})"
    return f"const {argument.base}* {name}", f"*{name}"


def is_address(argument, header):
    return argument.base in header.handles or argument.base in ("cl_mem", "cl_command_queue", "cl_event", "cl_context")


def is_string(argument):
    return argument.base == "char" and argument.stars == 1 and argument.is_const


def wrapper(function, names, header):
    texts = [text_of(argument, header, function) for argument in function.arguments]
    parameters = [parameter for parameter, _ in texts]
    call = f"{function.name}({', '.join(handed for _, handed in texts)})"
    # The lengths of character arguments come last.
    lengths = [f"size_t {a.name}_length" for a in function.arguments if is_string(a)]
    name = fortran_name(function.name, names) + "_"
    if is_string(function.result):
        parameters.append("char* text")
        lengths.append("size_t text_length")
        return f"void {name}({', '.join(parameters + lengths)}) {{\n    fill({call}, text, text_length);\n}}\n"
    if function.result.base == "void":
        return f"void {name}({', '.join(parameters + lengths)}) {{\n    {call};\n}}\n"
    base = header.base_of(function.result.base)
    if base in COMPLEX:
        return f"{COMPLEX[base]} {name}({', '.join(parameters + lengths)}) {{\n    return complex_of({call});\n}}\n"
    result = "int" if base in header.enums else function.result.base
    return f"{result} {name}({', '.join(parameters + lengths)}) {{\n    return static_cast<{result}>({call});\n}}\n"


def write(header, c_header, skipped=()):
    names = set(header.functions)
    functions = [f for f in header.functions.values() if f.name not in skipped]
    wrappers = "\n".join(wrapper(function, names, header) for function in functions)
    return f"#include <{c_header}>\n{INCLUDES}\nusing namespace heron::fortran;\n\nextern \"C\" {{\n{wrappers}}}\n"


def listing(header, skipped=()):
    """Lines of C's name and Fortran's, for tests."""
    names = set(header.functions)
    return "".join(f"{name} {fortran_name(name, names)}_\n" for name in sorted(names) if name not in skipped)
