"""Fortran 2008 modules of C functions. For each function f of a header there are

* f itself, bind(c), with C's name and arguments (those of Heron's own API are called c_f);
* a procedure that takes the same arguments, with names like cusparse_csrmv, generic over the scalar types and over whether
  scalars lie on the host or on the device. The status is its last argument and may be left out: then an error stops the
  program with a message.
"""
import dataclasses

from conventions import (LISTS, UNTYPED_SCALARS, fortran_name, generic_name, is_host, is_movable, is_plain, without_version,
                         wrapped)

KINDS = {"int": "integer(c_int)", "unsigned int": "integer(c_int)", "unsigned": "integer(c_int)", "int32_t": "integer(c_int32_t)",
         "uint32_t": "integer(c_int32_t)", "cl_uint": "integer(c_int)", "int64_t": "integer(c_int64_t)",
         "uint64_t": "integer(c_int64_t)", "cl_ulong": "integer(c_int64_t)", "long long": "integer(c_long_long)",
         "long long int": "integer(c_long_long)",
         "unsigned long long": "integer(c_long_long)", "size_t": "integer(c_size_t)", "float": "real(c_float)",
         "double": "real(c_double)", "cl_float": "real(c_float)", "cl_double": "real(c_double)",
         "float2": "complex(c_float_complex)", "double2": "complex(c_double_complex)",
         "cl_float2": "complex(c_float_complex)", "cl_double2": "complex(c_double_complex)", "char": "character(kind=c_char)",
         "unsigned char": "integer(c_signed_char)", "__half": "integer(c_int16_t)", "bool": "logical(c_bool)",
         "_Bool": "logical(c_bool)"}
DEVICE = {"float": "device_real32", "double": "device_real64", "float2": "device_complex32", "double2": "device_complex64",
          "int": "device_int32", "int64_t": "device_int64", "__half": "device_half"}
OPENCL_HANDLES = ("cl_mem", "cl_command_queue", "cl_event", "cl_context")
# What the address of a scalar without a type may be of: suffix -> kind.
UNTYPED = {"r32": "real(c_float)", "r64": "real(c_double)", "c32": "complex(c_float_complex)", "c64": "complex(c_double_complex)"}
# Functions whose alpha is complex and whose beta is real.
MIXED = {"heron_her2k"}
# Arrays of the host that are no scalars: function -> names.
HOST_ARRAYS = {"heron_kronmult_init": {"m", "n"}}
# The modified rotations' five numbers.
LENGTHS = {"param": 5}


@dataclasses.dataclass(frozen=True)
class Dummy:
    name: str
    declaration: str  # of the C interface
    wrapper: str  # of the procedure; "" where it is left out
    handed: str  # what the procedure hands to C
    before: str = ""  # a statement before the call
    local: str = ""


class Module:
    def __init__(self, name, header, uses, status, known, raw_prefix="", more=((), ())):
        self.name, self.header, self.uses, self.status = name, header, uses, status
        self.more_generics, self.more_procedures = more
        self.known = known  # names of types and enumerations of the modules used
        self.raw_prefix = raw_prefix
        self.names = set(header.functions)

    # Types

    def kind(self, base):
        """The type of a value, or None for one that is only known by address."""
        real_base = self.header.base_of(base)
        if real_base in self.header.enums:
            return "integer(c_int)"
        if base in self.header.handles or base in OPENCL_HANDLES:
            return f"type({self.handle(base)})"
        if base in self.header.callbacks:
            return "type(c_funptr)"
        if real_base in KINDS:
            return KINDS[real_base]
        if real_base in self.header.structs and real_base in self.structs_used():
            return f"type({real_base})"
        return None

    def handle(self, base):
        """Handles to what is constant are of the same type, since Fortran converts none into another."""
        tag = self.header.handles.get(base)
        return next((name for name, other in self.header.handles.items() if tag and other == tag), base)

    def structs_used(self):
        if not hasattr(self, "_structs"):
            self._structs = []
            for function in self.header.functions.values():
                for argument in (*function.arguments, function.result):
                    self.use_struct(self.header.base_of(argument.base))
        return self._structs

    def use_struct(self, name):
        if name in self._structs or name not in self.header.structs or not is_plain(name):
            return
        for member in self.header.structs[name]:
            self.use_struct(self.header.base_of(member.base))
        # One with a member that Fortran has no type for is known by its address alone.
        if all(member.stars or self.kind(member.base) for member in self.header.structs[name]):
            self._structs.append(name)

    # Arguments

    def dummy(self, argument, function):
        base, name = self.header.base_of(argument.base), argument.name
        kind = self.kind(argument.base)
        if argument.stars == 0:
            if name == "status" and self.status_result(function):
                raise ValueError(f"{function.name} has an argument called status")
            return Dummy(name, f"{kind}, value", f"{kind}, intent(in)", name)
        if name in LISTS and kind in [f"type({h})" for h in OPENCL_HANDLES]:
            return self.list_dummy(name, kind)
        if base == "char" and argument.stars == 1:
            return self.text_dummy(argument)
        if name in HOST_ARRAYS.get(function.name, ()):
            array = f"{kind}, intent(in) :: {name}(*)"
            return Dummy(name, array, array, name)
        if argument.stars == 1 and kind and is_host(argument, self.header, function):
            declaration = f"{kind}, intent({'in' if argument.is_const else 'inout'})"
            if name in LENGTHS:
                declaration += f" :: {name}({LENGTHS[name]})"
            return Dummy(name, declaration, declaration, name)
        if argument.stars == 2 and not argument.is_list and name != "args":
            return Dummy(name, "type(c_ptr), intent(inout)", "type(c_ptr), intent(inout)", name)
        if argument.stars == 1 and base in DEVICE:
            kind = f"type({DEVICE[base]})"
            return Dummy(name, f"{kind}, value", f"{kind}, intent(in)", name)
        return Dummy(name, "type(c_ptr), value", "type(c_ptr), intent(in)", name)

    def list_dummy(self, name, kind):
        if name == "commandQueues":
            return Dummy(name, "type(c_ptr), value", f"{kind}, intent(in), target :: {name}(*)", f"c_loc({name})")
        return Dummy(name, "type(c_ptr), value", f"{kind}, intent({'in' if name == 'eventWaitList' else 'inout'}), optional, "
                     f"target :: {name}(*)", f"{name}_list", f"if (present({name})) {name}_list = c_loc({name})",
                     f"type(c_ptr) :: {name}_list")

    @staticmethod
    def text_dummy(argument):
        name = argument.name
        if argument.is_const:
            return Dummy(name, f"character(kind=c_char), intent(in) :: {name}(*)", f"character(len=*), intent(in) :: {name}",
                         f"trim({name}) // c_null_char")
        declaration = f"character(kind=c_char), intent(inout) :: {name}(*)"
        return Dummy(name, declaration, declaration, name)

    def on_device(self, argument, dummy):
        """The same argument where it is a scalar of the device: its address is handed on and nothing looks at it here."""
        kind = DEVICE[self.header.base_of(argument.base)]
        value = self.kind(argument.base)
        place = f"{argument.name}_place"
        is_array = argument.name in LENGTHS
        shape = f", [{LENGTHS[argument.name]}]" if is_array else ""
        local = f"{value}, pointer, contiguous :: {place}(:)" if is_array else f"{value}, pointer :: {place}"
        return dataclasses.replace(dummy, wrapper=f"type({kind}), intent(in)", handed=place, local=local,
                                   before=f"call c_f_pointer(device_address({argument.name}), {place}{shape})")

    @staticmethod
    def of_kind(argument, dummy, kind):
        """The same argument where C has the address of a scalar of any type."""
        intent = "in" if argument.is_const else "inout"
        return dataclasses.replace(dummy, wrapper=f"{kind}, intent({intent}), target", handed=f"c_loc({argument.name})")

    def is_untyped_scalar(self, argument):
        return argument.base == "void" and argument.stars == 1 and argument.name in UNTYPED_SCALARS

    def is_movable(self, argument, function):
        return (argument.stars == 1 and is_movable(argument, function) and self.header.base_of(argument.base) in DEVICE
                and is_host(argument, self.header, function))

    # Procedures

    def status_result(self, function):
        return function.result.stars == 0 and self.header.base_of(function.result.base) == self.status

    def raw_name(self, function):
        return self.raw_prefix + without_version(function.name)

    def interface(self, function):
        dummies = [self.dummy(a, function) for a in function.arguments]
        arguments = ", ".join(d.name for d in dummies)
        is_void = function.result.base == "void" and function.result.stars == 0
        word = "subroutine" if is_void else "function"
        result = "" if is_void else " result(answer)"
        lines = [f"    {word} {self.raw_name(function)}({arguments}) bind(c, name=\"{function.name}\"){result}", "      import"]
        lines += [f"      {declared(d.declaration, d.name)}" for d in dummies]
        if not is_void:
            kind = "type(c_ptr)" if function.result.stars else self.kind(function.result.base)
            lines.append(f"      {kind} :: answer")
        return [*lines, f"    end {word}"]

    def procedure(self, function, name, dummies):
        raw = f"{self.raw_name(function)}({', '.join(d.handed for d in dummies)})"
        arguments = [d.name for d in dummies]
        body = [f"    {declared(d.wrapper, d.name)}" for d in dummies]
        locals_ = [f"    {d.local}" for d in dummies if d.local]
        before = [f"    {d.name}_list = c_null_ptr" for d in dummies if d.local.endswith("_list")]
        before += [f"    {d.before}" for d in dummies if d.before]
        if self.status_result(function):
            return [f"  subroutine {name}({', '.join([*arguments, 'status'])})", *body,
                    "    integer(c_int), intent(out), optional :: status", *locals_, "    integer(c_int) :: answer", *before,
                    f"    answer = {raw}", "    if (present(status)) then", "      status = answer",
                    f"    else if (answer /= {self.success()}) then",
                    f"      call heron_fail(\"{function.name}\", name_of_{self.status}(answer))", "    end if",
                    "  end subroutine"]
        if function.result.base == "void" and not function.result.stars:
            return [f"  subroutine {name}({', '.join(arguments)})", *body, *locals_, *before, f"    call {raw}",
                    "  end subroutine"]
        kind = self.kind(function.result.base)
        if function.result.stars:
            is_text = function.result.base == "char"
            kind = "character(len=:), allocatable" if is_text else "type(c_ptr)"
            raw = f"heron_text({raw})" if is_text else raw
        return [f"  function {name}({', '.join(arguments)}) result(answer)", *body, f"    {kind} :: answer", *locals_, *before,
                f"    answer = {raw}", "  end function"]

    def success(self):
        return self.header.enums[self.status][0][0]

    def variants(self, function):
        """(suffix, dummies) of the procedures of a function."""
        plain = [self.dummy(a, function) for a in function.arguments]
        pairs = list(zip(function.arguments, plain))
        if any(self.is_movable(a, function) for a, _ in pairs):
            moved = [self.on_device(a, d) if self.is_movable(a, function) else d for a, d in pairs]
            return [("_host", plain), ("_device", moved)]
        if any(self.is_untyped_scalar(a) for a, _ in pairs):
            return [("_address", plain), *self.typed_variants(pairs, function)]
        return [("", plain)]

    def typed_variants(self, pairs, function):
        mixed = function.name in MIXED
        for suffix, kind in UNTYPED.items():
            if mixed and not suffix.startswith("c"):
                continue
            kinds = {"beta": UNTYPED["r" + suffix[1:]]} if mixed else {}
            yield f"_{suffix}", [self.of_kind(a, d, kinds.get(a.name, kind)) if self.is_untyped_scalar(a) else d
                                 for a, d in pairs]

    def procedures(self):
        """The generic interfaces, the procedures' names, and the procedures themselves."""
        generics, texts, all_names = {}, [], []
        for function in self.header.functions.values():
            specific, generic = fortran_name(function.name, self.names), generic_name(function.name, self.names)
            for suffix, dummies in self.variants(function):
                name = specific + suffix
                texts += self.procedure(function, name, dummies) + [""]
                all_names.append(name)
                for interface in {generic} | ({specific} if suffix else set()):
                    generics.setdefault(interface, {})[name] = tuple(kind_of(d) for d in dummies)
        # Where no argument tells the scalar type, each type keeps its own name alone.
        distinct = {name: list(members) for name, members in generics.items() if len(set(members.values())) == len(members)}
        return {name: members for name, members in distinct.items() if members != [name]}, all_names, texts

    # The module

    def handles(self):
        names = list(OPENCL_HANDLES) if self.name == "heron_clblas" else []
        names += [name for name in self.header.handles if self.handle(name) == name]
        return [name for name in names if name not in self.known]

    def declarations(self):
        lines = []
        for name, enumerators in self.header.enums.items():
            if name in self.known:
                continue
            lines += [f"  ! {name}", "  enum, bind(c)"]
            lines += [f"    enumerator :: {enumerator} = {value}" for enumerator, value in enumerators]
            lines += ["  end enum"]
        lines += [f"  integer(c_int), parameter :: {name} = {value}" for name, value in sorted(self.header.constants.items())]
        for name in self.handles():
            lines += [f"  type, bind(c) :: {name}", "    private", "    type(c_ptr) :: pointer = c_null_ptr", "  end type"]
        for name in self.structs_used():
            lines += self.struct(name)
        return lines

    def struct(self, name):
        lines = [f"  type, bind(c) :: {name}"]
        for member in self.header.structs[name]:
            kind = "type(c_ptr)" if member.stars else self.kind(member.base)
            length = f"({member.length})" if member.length else ""
            lines.append(f"    {kind} :: {member.name}{length}{self.default(kind)}")
        return [*lines, "  end type"]

    @staticmethod
    def default(kind):
        """Zero bytes, as C's descriptors start."""
        if kind.startswith("integer"):
            return " = 0"
        if kind == "type(c_ptr)":
            return " = c_null_ptr"
        if kind == "type(c_funptr)":
            return " = c_null_funptr"
        return " = c_null_char" if kind.startswith("character") else ""

    def handle_interfaces(self):
        """A handle from the pointer that another library gave, and the pointer."""
        lines = []
        for name in self.handles():
            lines += [f"  interface {name}", f"    module procedure {name}_of_pointer", "  end interface"]
        if self.handles():
            lines += ["  interface pointer_of", *[f"    module procedure pointer_of_{name}" for name in self.handles()],
                      "  end interface"]
        return lines

    def handle_functions(self):
        lines = []
        for name in self.handles():
            lines += [f"  pure function {name}_of_pointer(pointer) result(handle)", "    type(c_ptr), intent(in) :: pointer",
                      f"    type({name}) :: handle", "    handle%pointer = pointer", "  end function", "",
                      f"  pure function pointer_of_{name}(handle) result(pointer)", f"    type({name}), intent(in) :: handle",
                      "    type(c_ptr) :: pointer", "    pointer = handle%pointer", "  end function", ""]
        return lines

    def status_names(self):
        lines = [f"  function name_of_{self.status}(status) result(name)", "    integer(c_int), intent(in) :: status",
                 "    character(len=:), allocatable :: name", "    select case (status)"]
        seen = set()
        for enumerator, value in self.header.enums[self.status]:
            if value not in seen:
                lines += [f"    case ({value})", f"      name = \"{enumerator}\""]
            seen.add(value)
        return [*lines, "    case default", "      name = \"an unknown status\"", "    end select", "  end function", ""]

    def check_names(self, generics, procedures):
        """Fortran's names know no case: two that differ by it alone would be one."""
        names = [e for enum, members in self.header.enums.items() if enum not in self.known for e, _ in members]
        names += [self.raw_name(f) for f in self.header.functions.values()] + list(self.handles()) + self.structs_used()
        names += [*self.header.constants, *generics, *procedures]
        low = [name.lower() for name in names]
        twice = sorted({name for name in low if low.count(name) > 1})
        long = [name for name in names if len(name) > 63]
        if twice or long:
            raise ValueError(f"{self.name}: names that are one in Fortran: {twice}, too long: {long}")

    def text(self):
        generics, names, procedures = self.procedures()
        self.check_names(generics, names)
        lines = ["! Written by src/fortran/generate from Heron's C headers.", f"module {self.name}",
                 "  use, intrinsic :: iso_c_binding", *[f"  use {used}" for used in self.uses], "  implicit none", "",
                 *self.declarations(), "", "  interface"]
        for function in self.header.functions.values():
            lines += self.interface(function)
        lines += ["  end interface", "", *self.handle_interfaces()]
        for name, members in sorted(generics.items()):
            lines += [f"  interface {name}", *[f"    module procedure {member}" for member in members], "  end interface"]
        lines += [*self.more_generics, "", "contains", "", *self.status_names(), *self.handle_functions(), *procedures,
                  *self.more_procedures, f"end module {self.name}", ""]
        return "\n".join(wrapped(line) for line in lines)


def kind_of(dummy):
    return dummy.wrapper.split(",")[0]


def declared(declaration, name):
    return declaration if "::" in declaration else f"{declaration} :: {name}"
