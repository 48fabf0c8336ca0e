"""Calls of every function of cuBLAS, made from the prototypes of Heron's headers: valid ones, and ones with one argument changed.

Matrices are 4 x 4 with leading dimension 8, vectors have 4 elements, batches two members. Functions without a prototype, which
Heron does not serve, are called without arguments. What a function of the first interface (cublas.h) answers is what
cublasGetError says after it.
"""
import ctypes
import re
import subprocess

from status_calls import ARENA, C_TYPES, COMPAT, SLOT, Prototype, enumerations, normal, packed, parameter

NAMES = {0: "SUCCESS", 1: "NOT_INITIALIZED", 3: "ALLOC_FAILED", 7: "INVALID_VALUE", 8: "ARCH_MISMATCH", 11: "MAPPING_ERROR",
         13: "EXECUTION_FAILED", 14: "INTERNAL_ERROR", 15: "NOT_SUPPORTED", 16: "LICENSE_ERROR"}
STATUS = "cublasStatus_t"
TABLES = "blas_statuses"
NVIDIAS = ("HERON_NVIDIA_CUBLAS", "/usr/local/cuda/lib64/libcublas.so.13")
# The log's settings are those of the process, whose output goes nowhere.
LEFT_OUT = re.compile(r"cublasLoggerConfigure$")

SYMBOLS = COMPAT.parents[1] / "tests/facade/cublas/exported_symbols.txt"
WHOLE = {"int": "int", "long long int": "int64_t", "int64_t": "int64_t", "size_t": "size_t"}
C_TYPES |= {"long long int": ctypes.c_longlong, "char": ctypes.c_char}
SIZES = ((r"^k[lu]$", 1), (r"^ld", 8), (r"^inc|^stride[xy]$", 1), (r"^stride", 64), (r"^elemSize$", 8), (r"^batchCount$", 2),
         (r"^workspaceSize", 4096), (r"^smCount|^algo", 0), (r"", 4))
# By the letter of a function's type.
DATA_TYPES = {"H": 2, "S": 0, "D": 1, "C": 4, "Z": 5}
FORMATS = {"__half": "e", "__nv_bfloat16": "xxxx", "float": "f", "double": "d", "cuComplex": "fxxxx", "cuDoubleComplex": "dxxxxxxxx",
           "void": "d"}
FLAGS = {"side": b"L", "uplo": b"L", "trans": b"N", "transa": b"N", "transb": b"N", "diag": b"N"}


def type_letter(name):
    """S for cublasSaxpy_v2, cublasIsamax_v2 and cublasScnrm2_v2; None of functions of no or any type."""
    if re.match(r"cublas(Set|Shutdown|Scal|Swap|Create|Copy|Destroy|Dot)", name):
        return None
    found = re.match(r"cublas(?:([HSDCZ])(?=[a-zHSDCZ0-9])|I([sdcz])am)", name)
    return (found.group(1) or found.group(2).upper()) if found else None


def preprocessed(header, language, compiler):
    return subprocess.run([compiler, "-E", "-P", "-x", language, f"-I{COMPAT}", f"-I{COMPAT / 'cuda'}", "-"], check=True,
                          input=f"#include <{header}>\n", capture_output=True, text=True).stdout


def read_header(compiler="c++"):
    """The prototypes and the enumerations ({type: values}) of Heron's headers; NVIDIA's other functions have no parameters."""
    functions, enums = {}, {}
    for text in (preprocessed("cublas_v2.h", "c++", compiler), preprocessed("cublas.h", "c", compiler)):
        for result, name, inside in re.findall(r"((?:const char\s*\*)|\b\w+)\s+(cublas\w+)\s*\(([^()]*)\)\s*;", text):
            if result in ("return", "typedef") or name in functions:
                continue
            inside = re.sub(r"(\w+)\s*\[\]", r"*\1", inside.strip())
            parameters = [] if inside in ("", "void") else [parameter(p) for p in inside.split(",")]
            functions[name] = Prototype(name, normal(result), parameters)
        enums.update(enumerations(text))
    exported = SYMBOLS.read_text().split()
    return [functions.get(name) or Prototype(name, STATUS, []) for name in exported], enums


class Scene:
    """One library with the arrays of a call. Every call finds them new."""

    def __init__(self, library, prototypes, enums, memory):
        self.library, self.enums, self.memory = library, enums, memory
        self.prototypes = {p.name: p for p in prototypes}
        self.slots, self.used = {}, 0
        self.handle = None

    def has(self, name):
        return hasattr(self.library, name)

    def create_handle(self):
        handle = ctypes.c_void_p()
        if self.library.cublasCreate_v2(ctypes.byref(handle)) == 0:
            self.handle = handle

    def array(self, name, content, size=SLOT):
        if name not in self.slots:
            self.slots[name] = self.memory + self.used + size // 2
            self.used += size
            if self.used > ARENA:
                raise MemoryError(name)
        ctypes.memmove(self.slots[name], content, len(content))
        return self.slots[name]

    def numbers(self, prototype, element, name):
        """An array by the name of a parameter."""
        if element == "void":
            letter = type_letter(prototype.name)
            element = {"H": "__half", "S": "float", "C": "cuComplex", "Z": "cuDoubleComplex"}.get(letter, "double")
        if element not in FORMATS:
            return self.array(name, b"\0" * 4096)
        values = [-1.0, 0.5, 0.5, 0.5, 0.5] if name == "param" else [4.0 if i % 2 == 0 else 1.0 for i in range(256)]
        if name in ("alpha", "beta", "c", "s"):
            values = [0.5]
        if element == "__nv_bfloat16":
            return self.array(name, packed("H", [0x3F80] * 256))
        return self.array(name, packed(FORMATS[element], values))

    def valid(self, prototype, kind, name):
        """The argument that makes a call valid."""
        if kind == "cublasHandle_t":
            return self.spare_handle() if prototype.name == "cublasDestroy_v2" else self.handle
        if kind in self.enums:
            return ctypes.c_int(self.valid_enumerator(prototype, kind))
        if kind in WHOLE:
            return C_TYPES[kind](next(value for pattern, value in SIZES if re.search(pattern, name)))
        if kind in ("float", "double"):
            return C_TYPES[kind](0.5)
        if kind in ("cuComplex", "cuDoubleComplex"):
            return C_TYPES[kind](0.5, 0.0)
        if kind == "char":
            return ctypes.c_char(FLAGS[name])
        if kind == "char*":
            return ctypes.c_char_p(b"/dev/null")
        if kind == "void**" and name == "devicePtr" or name == "workspace":
            return ctypes.c_void_p((self.array(name, b"\0" * 8) + 255) // 256 * 256)
        if kind.endswith("**"):
            items = [self.numbers(prototype, kind[:-2], f"{name} {i}") for i in range(8)]
            return ctypes.c_void_p(self.array(name, packed("Q", items)))
        if not kind.endswith("*") or prototype.name == "cublasFree":
            return ctypes.c_void_p()  # streams, callbacks, and nothing to free
        return ctypes.c_void_p(self.numbers(prototype, kind[:-1], name))

    def spare_handle(self):
        """One that may be destroyed."""
        handle = ctypes.c_void_p()
        self.library.cublasCreate_v2(ctypes.byref(handle))
        return handle

    def valid_enumerator(self, prototype, kind):
        letter = type_letter(prototype.name)
        if kind in ("cudaDataType", "cudaDataType_t"):
            return DATA_TYPES[letter or "D"]
        if kind == "cublasComputeType_t":
            return 70  # doubles
        return self.enums[kind][0] if kind != "cublasGemmAlgo_t" else -1

    def changed(self, kind, change):
        if change == "NULL":
            return ctypes.c_void_p()
        if kind == "char":
            return ctypes.c_char(change.encode())
        if kind in self.enums:
            return ctypes.c_int(int(change))
        return C_TYPES[kind](int(change))

    @staticmethod
    def can_ask_without_handle(prototype, position):
        """A NULL handle, and what looks at its arguments or answers alone."""
        kinds = [kind for kind, _ in prototype.parameters]
        if "cublasHandle_t" in kinds:
            return position is not None and kinds[position] == "cublasHandle_t"
        return re.search("Vector|Matrix|GetStatus|Property|Logger|Version|Create", prototype.name) is not None

    def call(self, name, position=None, change=None):
        """The status of a call. None where this library cannot be asked."""
        prototype = self.prototypes[name]
        is_first = prototype.result != STATUS and prototype.result.startswith(("void", "float", "double", "cu", "int"))
        kinds = [kind for kind, _ in prototype.parameters]
        if self.handle is None and (is_first or not self.can_ask_without_handle(prototype, position)):
            return None
        self.slots, self.used = {}, 0
        if self.handle is not None:
            self.library.cublasInit()
            self.library.cublasGetError()
            # Without the workspace and modes that calls before have set.
            self.library.cublasSetStream_v2(self.handle, None)
            self.library.cublasSetPointerMode_v2(self.handle, 0)
            self.library.cublasSetMathMode(self.handle, 0)
        arguments = [self.valid(prototype, kind, parameter_name) for kind, parameter_name in prototype.parameters]
        if position is not None:
            arguments[position] = self.changed(kinds[position], change)
        function = getattr(self.library, name)
        function.restype = None if is_first else ctypes.c_void_p if prototype.result.endswith("*") else ctypes.c_int
        result = function(*arguments)
        if is_first:
            return self.library.cublasGetError()
        if prototype.result.endswith("*"):
            return 0 if result else 1
        return result if prototype.result == STATUS else 0


def changes(kind, name, enums, huge):
    """What an argument of that type is changed to."""
    if kind in enums:
        known = enums[kind]
        return [str(v) for v in [-1] + known + [known[-1] + 1, 1000] if v not in known[1:-1] or len(known) < 64]
    if kind == "char":
        return ["X", "U", "R", "T", "C", "u", "\0"]
    if kind in WHOLE:
        # An increment or a distance as long as that would leave the arrays.
        is_distance = re.match(r"inc|stride|ld", name)
        largest = {"int": 2**31 - 1, "int64_t": 2**63 - 1, "size_t": 2**64 - 1}[WHOLE[kind]]
        least = [str(-largest - 1)] if WHOLE[kind] != "size_t" and (huge or not is_distance) else []
        return least + (["-1"] if WHOLE[kind] != "size_t" else []) + ["0", "1", "5"] + ([str(largest), str(2**30)] if huge else [])
    return ["NULL"] if kind == "cublasHandle_t" or kind.endswith("*") else []


# These copy the caller's arrays, which are as long as the arguments say.
COPIES = re.compile(r"cublas[SG]et(Vector|Matrix)")


def all_calls(prototypes, enums, huge):
    """(function, position or None, change) of every call."""
    calls = []
    for p in prototypes:
        calls.append((p.name, None, None))
        for position, (kind, name) in enumerate(p.parameters):
            calls += [(p.name, position, change) for change in changes(kind, name, enums, huge and not COPIES.match(p.name))]
    return calls
