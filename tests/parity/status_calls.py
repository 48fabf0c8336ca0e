"""Calls of every function of cuSPARSE, made from the prototypes of a header: valid ones, and ones with one argument changed.

Arguments are chosen by type and name. All matrices are the 4 x 4 lower bidiagonal one with 7 elements, or 4 x 4 blocks of
2 x 2 in its pattern; all arrays lie in one piece of memory with room on both sides, so that a wrong size or index base that a
library accepts reads and writes what nobody else owns.
"""
import collections
import ctypes
import functools
import pathlib
import re
import struct
import subprocess

COMPAT = pathlib.Path(__file__).resolve().parents[2] / "include/compat"

NAMES = {0: "SUCCESS", 1: "NOT_INITIALIZED", 2: "ALLOC_FAILED", 3: "INVALID_VALUE", 4: "ARCH_MISMATCH", 5: "MAPPING_ERROR",
         6: "EXECUTION_FAILED", 7: "INTERNAL_ERROR", 8: "MATRIX_TYPE_NOT_SUPPORTED", 9: "ZERO_PIVOT", 10: "NOT_SUPPORTED",
         11: "INSUFFICIENT_RESOURCES"}
STATUS = "cusparseStatus_t"
TABLES = "statuses"
NVIDIAS = ("HERON_NVIDIA_CUSPARSE", "/usr/local/cuda/lib64/libcusparse.so.12")
# The log's settings are those of the process, whose output goes nowhere.
LEFT_OUT = re.compile(r"cusparseLoggerForceDisable$")

SLOT, BUFFER, TEMPLATE = 64 << 10, 1 << 20, 4096
ROWS, ELEMENTS, BLOCK, LEADING, STRIDE = 4, 7, 2, 8, 64
ARENA = 96 * SLOT + 16 * BUFFER
C_TYPES = {"int": ctypes.c_int, "int64_t": ctypes.c_int64, "size_t": ctypes.c_size_t, "float": ctypes.c_float,
           "double": ctypes.c_double, "bool": ctypes.c_bool}


class Complex(ctypes.Structure):
    _fields_ = [("x", ctypes.c_float), ("y", ctypes.c_float)]


class DoubleComplex(ctypes.Structure):
    _fields_ = [("x", ctypes.c_double), ("y", ctypes.c_double)]


C_TYPES |= {"cuComplex": Complex, "cuDoubleComplex": DoubleComplex}
# Halves of IEEE 754, floats, doubles; complex numbers have imaginary parts of zero.
VALUE_FORMATS = {"__half": "e", "float": "f", "double": "d", "void": "d", "cuComplex": "fxxxx", "cuDoubleComplex": "dxxxxxxxx"}


class Prototype:
    def __init__(self, name, result, parameters):
        self.name, self.result, self.parameters = name, result, parameters


@functools.cache
def typed_names():
    """Those that exist for another type, too: cusparseDcsrmv is one, and cusparseSpMV is none."""
    names = {p.name for p in read_header()[0]}
    ends = collections.Counter(name[9:] for name in names if re.match(r"cusparse[HSDCZ][a-z]", name))
    return {name for name in names if ends[name[9:]] > 1}


def type_letter(name):
    """D of cusparseDcsrmv; None of functions of no type."""
    return name[8] if name in typed_names() else None


def normal(text):
    text = re.sub(r"\bconst\b", "", text)
    return re.sub(r"\s*\*\s*", "*", re.sub(r"\s+", " ", text)).strip()


def parameter(text):
    kind, name = re.match(r"(.*?[\s*])(\w+)$", text.strip()).groups()
    return normal(kind), name


def enumerations(text):
    """{type: values} of a preprocessed header."""
    enums = {}
    for body, name in re.findall(r"typedef enum\s*\w*\s*\{([^}]*)\}\s*(\w+)\s*;", text):
        enums[name] = enumerators(body)
    for name, body in re.findall(r"\benum\s+(\w+)\s*\{([^}]*)\}\s*;", text):
        enums.setdefault(name, enumerators(body))
    for old, new in re.findall(r"typedef (?:enum )?(\w+) (\w+)\s*;", text):
        if old in enums:
            enums[new] = enums[old]
    return enums


def read_header(compiler="c++"):
    """The prototypes and the enumerations ({type: values}) of Heron's cusparse.h."""
    text = subprocess.run([compiler, "-E", "-P", "-x", "c++", f"-I{COMPAT}", f"-I{COMPAT / 'cuda'}", "-DDISABLE_CUSPARSE_DEPRECATED",
                           COMPAT / "cusparse.h"], check=True, capture_output=True, text=True).stdout
    functions = []
    for result, name, inside in re.findall(r"((?:const char\s*\*)|\b\w+)\s+(cusparse\w+)\s*\(([^()]*)\)\s*;", text):
        if result == "typedef":
            continue
        inside = inside.strip()
        functions.append(Prototype(name, normal(result), [] if inside in ("", "void") else [parameter(p) for p in inside.split(",")]))
    return functions, enumerations(text)


def enumerators(body):
    known, last = {}, -1
    for item in filter(None, (part.strip() for part in body.split(","))):
        name, _, given = (part.strip() for part in item.partition("="))
        last = known[given] if given in known else int(given, 0) if given else last + 1
        known[name.split()[0]] = last
    return sorted(set(known.values()))


# What has to be called before a function, {t} being the letter of its type. The first that matches counts.
PREPARATIONS = [(re.compile(pattern), before) for pattern, before in (
    (r"cusparse(?P<t>[SDCZ])(?P<f>(csr|bsr)s[vm]2?)_solve$", ("cusparse{t}{f}_analysis",)),
    (r"cusparse(?P<t>[SDCZ])(?P<f>(csr|bsr)(ilu|ic)02)$", ("cusparse{t}{f}_analysis",)),
    (r"cusparse(?P<t>[SDCZ])csr(ilu|ic)0$", ("cusparse{t}csrsv_analysis",)),
    (r"cusparseX(?P<f>\w+)_zeroPivot$", ("cusparseD{f}_analysis",)),
    (r"cusparse(?P<t>[SDCZ])hybsv_solve$", ("cusparse{t}csr2hyb", "cusparse{t}hybsv_analysis")),
    (r"cusparse(?P<t>[SDCZ])hyb", ("cusparse{t}csr2hyb",)),
    (r"cusparse(?P<t>[HSDCZ])prune(?P<f>\w+)ByPercentage$", ("cusparse{t}prune{f}NnzByPercentage",)),
    (r"cusparse(?P<t>[HSDCZ])prune(?P<f>(Dense|Csr)2csr)$", ("cusparse{t}prune{f}Nnz",)),
    (r"cusparse(?P<t>[SDCZ])csru2csr$", ("cusparse{t}csru2csr_bufferSizeExt",)),
    (r"cusparse(?P<t>[SDCZ])csr2csru$", ("cusparse{t}csru2csr_bufferSizeExt", "cusparse{t}csru2csr")),
    (r"cusparseGetLevelInfo$", ("cusparseDcsrsv_analysis",)),
    (r"cusparseCsr(sv_solve|ilu0)Ex$", ("cusparseCsrsv_analysisEx",)),
    (r"cusparse(?P<t>[SDCZ])csrgemm2$", ("cusparse{t}csrgemm2_bufferSizeExt", "cusparseXcsrgemm2Nnz")),
    (r"cusparseXcsrgemm2Nnz$", ("cusparseDcsrgemm2_bufferSizeExt",)),
    (r"cusparse(?P<t>[SDCZ])(?P<f>csrge(mm|am2|am))$", ("cusparseX{f}Nnz",)),
    (r"cusparse(?P<t>[SDCZ])csr2bsr$", ("cusparseXcsr2bsrNnz",)),
    (r"cusparse(?P<f>Sp(SV|SM))_analysis$", ("cusparse{f}_bufferSize",)),
    (r"cusparse(?P<f>Sp(SV|SM))_(solve|updateMatrix)$", ("cusparse{f}_bufferSize", "cusparse{f}_analysis")),
    (r"cusparseSpGEMM_(compute|estimateMemory|getNumProducts)$", ("cusparseSpGEMM_workEstimation",)),
    (r"cusparseSpGEMM_copy$", ("cusparseSpGEMM_workEstimation", "cusparseSpGEMM_compute")),
    (r"cusparseSpGEMMreuse_nnz$", ("cusparseSpGEMMreuse_workEstimation",)),
    (r"cusparseSpGEMMreuse_copy$", ("cusparseSpGEMMreuse_workEstimation", "cusparseSpGEMMreuse_nnz")),
    (r"cusparseSpGEMMreuse_compute$",
     ("cusparseSpGEMMreuse_workEstimation", "cusparseSpGEMMreuse_nnz", "cusparseSpGEMMreuse_copy")),
    (r"cusparseSpGEAM$", ("cusparseSpGEAM_nnz",)),
    (r"cusparseDenseToSparse_convert$", ("cusparseDenseToSparse_analysis",)),
)]

SIZES = ((r"^(nnz|bnnz)\w*$", ELEMENTS), (r"[bB]lock(Dim|Size)\w*$|^userEllWidth$|^ellBlockSize$|^sliceSize$", BLOCK),
         (r"^ld\w*$", LEADING), (r"^batchCount$", 1), (r"Stride$", STRIDE), (r"BufferSize$", 0), (r"^algo?$", 0),
         (r"^sizeOfMask$", ROWS), (r"^sellValuesSize$", 8))
DATA_R_64F, DATA_R_32F = 1, 0
INDEX_32, INDEX_64 = 2, 3


# Of a matrix with more rows too, which are empty.
OFFSETS = [0, 1, 3, 5, 7] + [7] * 8


def packed(form, numbers):
    return struct.pack(f"<{''.join(form for _ in numbers)}", *numbers)


def reals(count):
    return [4.0 if i % 2 == 0 else 1.0 for i in range(count)]


def integers(name):
    """What an array of int holds, by the name of the parameter."""
    if re.search(r"EndPtr", name):
        return [1, 3, 5, 7] + [7] * 8
    if re.search(r"Ptr[A-Z]?$", name) and not re.search(r"DevHost|Mask", name):
        return OFFSETS
    if re.search(r"^nnzPer", name):
        return [1, 2, 2, 2]
    if re.search(r"Mask|^[pP]$|^reordering|^coloring", name):
        return [0, 1, 2, 3, 4, 5, 6]
    if name == "xInd":
        return [0, 2, 1, 3, 6, 5, 4]
    if re.search(r"^cooRow", name):
        return [0, 1, 1, 2, 2, 3, 3]
    return [0, 0, 1, 1, 2, 2, 3]


class Scene:
    """One library with the objects and the arrays of a call. Every call finds them new."""

    def __init__(self, library, prototypes, enums, memory):
        self.library, self.enums, self.memory = library, enums, memory
        self.prototypes = {p.name: p for p in prototypes}
        self.slots, self.used = {}, 0
        self.creators = {p.parameters[0][0][:-1]: p.name for p in prototypes if len(p.parameters) == 1
                         and re.search(r"^cusparseCreate|_createDescr$", p.name) and p.parameters[0][0].endswith("*")}
        self.destroyers = {p.parameters[0][0].replace("Const", ""): p.name for p in prototypes if len(p.parameters) == 1
                           and re.search(r"^cusparseDestroy|_destroyDescr$|_destroyPlan$", p.name)}
        self.handle = None
        self.objects = {}
        self.before_call = None  # called right before the function itself

    def has(self, name):
        return hasattr(self.library, name)

    def function(self, name):
        f = getattr(self.library, name)
        f.restype = ctypes.c_void_p if self.prototypes[name].result.endswith("*") else ctypes.c_int
        return f

    def create_handle(self):
        handle = ctypes.c_void_p()
        status = self.library.cusparseCreate(ctypes.byref(handle))
        self.handle = handle if status == 0 else None
        return status

    def array(self, name, content=b"", size=SLOT):
        """The address of the array of this name, whose start has the content."""
        if name not in self.slots:
            self.slots[name] = self.memory + self.used + size // 2
            self.used += size
            if self.used > ARENA:
                raise MemoryError(name)
        address = self.slots[name]
        if content:
            ctypes.memmove(address, content, len(content))
        return address

    def made(self, creator, *arguments):
        result = ctypes.c_void_p()
        getattr(self.library, creator)(ctypes.byref(result), *arguments)
        return result

    # The descriptors of the generic interface, as they are or changed.
    def sparse_matrix(self, role, change=""):
        n, l = ctypes.c_int64(ROWS + (change == "size")), ctypes.c_int64
        index = INDEX_64 if change == "index type" else INDEX_32
        form = "q" if change == "index type" else "i"
        value = DATA_R_32F if change == "type" else DATA_R_64F
        base = 1 if change == "base" else 0

        def indices(part, numbers):
            return ctypes.c_void_p(self.array(f"{role}.{part}", packed(form, [i + base for i in numbers])))
        if change == "COO of pairs":
            return self.made("cusparseCreateCooAoS", n, n, l(7), indices("pairs", [0] * 14),
                             ctypes.c_void_p(self.array(f"{role}.values")), index, base, value)
        values = ctypes.c_void_p(self.array(f"{role}.values", packed("f" if change == "type" else "d", reals(28))))
        columns = [0, 0, 1, 1, 2, 2, 3]
        if change == "COO":
            return self.made("cusparseCreateCoo", n, n, l(7), indices("rows", [0, 1, 1, 2, 2, 3, 3]), indices("columns", columns),
                             values, index, base, value)
        if change == "CSC":
            return self.made("cusparseCreateCsc", n, n, l(7), indices("offsets", [0, 2, 4, 6, 7]),
                             indices("rows", [0, 1, 1, 2, 2, 3, 3]), values, index, index, base, value)
        if change == "BSR":
            return self.made("cusparseCreateBsr", l(2), l(2), l(3), l(2), l(2), indices("offsets", [0, 1, 3]),
                             indices("columns", [0, 0, 1]), values, index, index, base, value, 2)
        if change == "Blocked-ELL":
            return self.made("cusparseCreateBlockedEll", n, n, l(2), l(4), indices("columns", [0, 1, 0, 1]), values, index, base, value)
        if change == "Sliced ELL":
            return self.made("cusparseCreateSlicedEll", n, n, l(7), l(8), l(2), indices("offsets", [0, 4, 8]),
                             indices("columns", [0, 0, -1, 1, 1, 2, 2, 3]), values, index, index, base, value)
        return self.made("cusparseCreateCsr", n, n, l(7), indices("offsets", OFFSETS), indices("columns", columns), values, index,
                         index, base, value)

    def dense_matrix(self, role, change=""):
        rows = ctypes.c_int64(ROWS + (change == "size"))
        kind, order = DATA_R_32F if change == "type" else DATA_R_64F, 2 if change == "order" else 1
        values = self.array(f"{role}.dense", packed("d", reals(64)))
        return self.made("cusparseCreateDnMat", rows, rows, ctypes.c_int64(LEADING), ctypes.c_void_p(values), kind, order)

    def dense_vector(self, role, change=""):
        values = self.array(f"{role}.dense", packed("d", reals(64)))
        return self.made("cusparseCreateDnVec", ctypes.c_int64(ROWS + (change == "size")), ctypes.c_void_p(values),
                         DATA_R_32F if change == "type" else DATA_R_64F)

    def sparse_vector(self, role, change=""):
        wide = change == "index type"
        indices = self.array(f"{role}.indices", packed("q" if wide else "i", [0, 2]))
        return self.made("cusparseCreateSpVec", ctypes.c_int64(ROWS + (change == "size")), ctypes.c_int64(2), ctypes.c_void_p(indices),
                         ctypes.c_void_p(self.array(f"{role}.values", packed("d", reals(8)))), INDEX_64 if wide else INDEX_32, 0,
                         DATA_R_32F if change == "type" else DATA_R_64F)

    GENERIC = {"cusparseSpMatDescr_t": (sparse_matrix, ("size", "type", "index type", "base", "COO", "CSC", "BSR", "Blocked-ELL",
                                                        "Sliced ELL")),
               "cusparseDnMatDescr_t": (dense_matrix, ("size", "type", "order")),
               "cusparseDnVecDescr_t": (dense_vector, ("size", "type")),
               "cusparseSpVecDescr_t": (sparse_vector, ("size", "type", "index type"))}

    def object(self, kind, name, function, change=""):
        """A new object of an opaque type, or None where the library cannot make one."""
        if kind == "cusparseHandle_t" and not change and function != "cusparseDestroy":
            return self.handle
        if kind in self.GENERIC:
            form = re.match(r"cusparse(?:Const)?(CooAoS|Coo|Csc|Bsr|BlockedEll)(Get|Set)", function)
            own = {"CooAoS": "COO of pairs", "Coo": "COO", "Csc": "CSC", "Bsr": "BSR", "BlockedEll": "Blocked-ELL"}[form.group(1)] if form else ""
            return self.GENERIC[kind][0](self, f"{kind}.{name}", own if change in ("", "destroyed") else change)
        if kind in self.creators and self.has(self.creators[kind]):
            return self.made(self.creators[kind])
        return None

    def is_object(self, kind):
        return kind in self.GENERIC or kind in self.creators or kind == "cusparseSpMMOpPlan_t"

    def valid(self, prototype, kind, name):
        """The argument that makes a call valid."""
        plain = kind.replace("Const", "")
        if self.is_object(plain):
            if (plain, name) not in self.objects:
                self.objects[plain, name] = self.object(plain, name, prototype.name)
            return self.objects[plain, name]
        if kind in self.enums:
            return self.valid_enumerator(kind)
        if kind in ("int", "int64_t", "size_t"):
            size = next((value for pattern, value in SIZES if re.search(pattern, name)), ROWS)
            if name == "nnz" and re.search(r"^cusparseCreate.*Vec|gemvi", prototype.name):
                size = 2
            return C_TYPES[kind](size)
        if kind in ("float", "double"):
            return C_TYPES[kind](50.0 if name == "percentage" else 0.5)
        if kind in ("cuComplex", "cuDoubleComplex"):
            return C_TYPES[kind](0.5, 0.0)
        if kind == "bool":
            return ctypes.c_bool(True)
        if kind == "char*":
            return ctypes.c_char_p(b"/dev/null")
        if not kind.endswith("*") or kind == "FILE*":
            return ctypes.c_void_p()  # streams and callbacks
        return ctypes.c_void_p(self.valid_array(kind[:-1], name))

    def valid_enumerator(self, kind):
        preferred = {"cudaDataType": DATA_R_64F, "cusparseIndexType_t": INDEX_32}
        return ctypes.c_int(preferred.get(kind.replace("cudaDataType_t", "cudaDataType"), self.enums[kind][0]))

    def valid_array(self, element, name):
        if re.search(r"[bB]uffer\d?$|^workspace$", name) and element == "void":
            return self.array(name, size=BUFFER)
        if re.search(r"ffer(Size|\d)", name) and element == "size_t":
            return self.array(name, packed("Q", [BUFFER // 2]))
        if re.search(r"(Offsets|Ptr)$", name) and element == "void":
            return self.array(name, packed("i", OFFSETS))
        if re.search(r"(Ind|indices)$|^coo(Row|Col)", name, re.I) and element == "void":
            return self.array(name, packed("i", integers(name)))
        if name == "fractionToColor":
            return self.array(name, packed(VALUE_FORMATS[element], [1.0]))
        if element in VALUE_FORMATS:
            return self.array(f"{name}.{element}", packed(VALUE_FORMATS[element], reals(64)))
        if element == "int":
            return self.array(name, packed("i", integers(name)))
        return self.array(name, b"\0" * 64)

    def arguments(self, prototype):
        return [self.valid(prototype, kind, name) for kind, name in prototype.parameters]

    def preparations(self, name):
        for pattern, before in PREPARATIONS:
            if match := pattern.match(name):
                return [b.format(**match.groupdict()) for b in before]
        return []

    def changed(self, prototype, position, change):
        """The argument at that position, changed."""
        kind, name = prototype.parameters[position]
        plain = kind.replace("Const", "")
        if change == "NULL":
            return ctypes.c_void_p()
        if change == "destroyed":
            victim = self.object(plain, name, prototype.name, "destroyed")
            getattr(self.library, self.destroyers[plain])(victim)
            return victim
        if self.is_object(plain):
            return self.object(plain, name, prototype.name, change)
        if kind in self.enums:
            return ctypes.c_int(int(change))
        if kind == "char*":
            return ctypes.c_char_p(change.encode())
        if kind in ("cuComplex", "cuDoubleComplex"):
            return C_TYPES[kind](float(change), 0.0)
        return C_TYPES[kind](float(change) if kind in ("float", "double") else int(change))

    @staticmethod
    def can_ask_without_handle(prototype, position, change):
        """A NULL handle, and what needs neither a handle nor an info, which may hold memory of the device."""
        kinds = [kind for kind, _ in prototype.parameters]
        if "cusparseHandle_t" in kinds:
            return position is not None and kinds[position] == "cusparseHandle_t" and change == "NULL"
        return not any(re.search(r"Info_t|Plan_t|^cusparseHandle_t\*", kind) for kind in kinds)

    def prepared(self, name, position=None, change=None):
        """Function and arguments of a call, after what it needs. None where this library cannot be asked."""
        prototype = self.prototypes[name]
        self.objects, self.slots, self.used = {}, {}, 0
        if self.handle is None and not self.can_ask_without_handle(prototype, position, change):
            return None
        if self.handle is not None:
            self.library.cusparseSetPointerMode(self.handle, 0)
        for before in self.preparations(name):
            if self.has(before) and self.handle is not None:
                self.function(before)(*self.arguments(self.prototypes[before]))
        arguments = self.arguments(prototype)
        if name.endswith("csric0"):  # of a symmetric matrix, whose triangle was analysed
            self.library.cusparseSetMatType(self.objects["cusparseMatDescr_t", "descrA"], 1)
        if position is not None:
            arguments[position] = self.changed(prototype, position, change)
        return self.function(name), arguments

    def call(self, name, position=None, change=None):
        """The status of a call, or None."""
        ready = self.prepared(name, position, change)
        if ready is None:
            return None
        function, arguments = ready
        if self.before_call:
            self.before_call()
        result = function(*arguments)
        return (0 if result else 1) if self.prototypes[name].result.endswith("*") else result


def changes(kind, enums, scene_types, huge):
    """What an argument of that type is changed to."""
    plain = kind.replace("Const", "")
    if plain in scene_types:
        generic = Scene.GENERIC.get(plain, (None, ()))[1]
        return ["NULL"] + ([] if plain == "cusparseSpMMOpPlan_t" else ["destroyed"]) + list(generic)
    if kind in enums:
        known = enums[kind]
        return [str(v) for v in [-1] + known + [known[-1] + 1, 1000]]
    if kind in ("int", "int64_t", "size_t"):
        largest = {"int": 2**31 - 1, "int64_t": 2**63 - 1, "size_t": 2**64 - 1}[kind]
        signed = [] if kind == "size_t" else [str(-largest - 1), "-1"]
        return signed + ["0", "1", "5"] + ([str(largest), str(2**30)] if huge else [])
    if kind in ("float", "double", "cuComplex", "cuDoubleComplex"):
        return ["-1", "nan", "200"]
    if kind == "char*":
        return ["NULL", "/nowhere/at/all"]
    is_object = re.search(r"(Descr|Plan|Info|Mat)_t$", kind) is not None
    return ["NULL"] if is_object or (kind.endswith("*") and kind != "FILE*") else []


# These look at the caller's arrays, or fill memory of their own, before anything can be launched.
HOST_READERS = re.compile(r"2hyb$|gthrz$")


def all_calls(prototypes, enums, huge):
    """(function, position or None, change) of every call."""
    types = set(Scene.GENERIC) | {"cusparseSpMMOpPlan_t"}
    types |= {p.parameters[0][0][:-1] for p in prototypes if len(p.parameters) == 1
              and re.search(r"^cusparseCreate|_createDescr$", p.name)}
    calls = []
    for p in prototypes:
        calls.append((p.name, None, None))
        for position, (kind, _) in enumerate(p.parameters):
            with_huge = huge and not HOST_READERS.search(p.name)
            calls += [(p.name, position, change) for change in changes(kind, enums, types, with_huge)]
    return calls
