"""How C's arguments are those of Fortran, for both generators: which pointers are to the host's memory, what functions are
called, and which scalar type a function is of."""
import re

# Pointers that are to the host's memory, by the names that the headers give them; all others are device addresses. Pointers
# to handles, sizes, enumerations and addresses are the host's whatever they are called.
SCALARS = {"alpha", "beta", "c_coeff", "s_coeff", "c", "s", "threshold", "tol", "boost_val", "position", "nnzC",
           "nnzTotalDevHostPtr", "resultDevHostPtr", "result"}
# Those whose type an argument or a handle tells.
UNTYPED_SCALARS = {"alpha", "beta", "result", "c_coeff", "s_coeff"}
OUTPUTS = {"version", "value", "batchCount", "ncolors", "nlevels", "fractionToColor", "pBufferSize", "pBufferSizeInBytes",
           "runtimeVersion", "driverVersion", "count", "device", "leastPriority", "greatestPriority", "flags", "pFlags",
           "canAccessPeer", "priority", "ms", "numBlocks", "major", "minor", "patch", "available", "milliseconds",
           "threads", "operations", "bytes", "err", "smCountTarget"}
ARRAYS = {"data", "hostPtr", "addOperationNvvmBuffer", "mulOperationNvvmBuffer", "epilogueNvvmBuffer"}
# Of the host's scalars, those that the pointer mode moves to the device.
MOVABLE = SCALARS - {"nnzC"}
LISTS = {"commandQueues", "eventWaitList", "events", "event"}

# What single functions have beyond that: a pattern of C's names, and arguments. Those of rotations move with the pointer mode.
ROTATIONS = (r"cublas[SDCZ]rotm?g?(_v2)?(_64)?", {"a", "b", "d1", "d2", "x1", "y1", "param"})
OF_FUNCTIONS = (ROTATIONS, (r"cublasSetVector(Async)?(_64)?", {"x"}), (r"cublasGetVector(Async)?(_64)?", {"y"}),
                (r"cublasSetMatrix(Async)?(_64)?", {"A"}), (r"cublasGetMatrix(Async)?(_64)?", {"B"}),
                (r"cublas[SDCZ](getrs|gels)Batched", {"info"}), (r"clblas\w+", {"A", "B", "host", "pattern"}))

ALWAYS_HOST = {"size_t", "int64_t"}

# Functions of cuBLAS whose letters are not one in front: the letters' pattern, which letter is the type, and the rest's name.
OTHER_LETTERS = ((r"I([sdcz])(am(ax|in)\w*)", "i"), (r"[SD]([cz])((nrm2|asum)\w*)", ""), (r"([CZ])[sd]((scal|rot)\w*)", ""))

PREFIXES = ("cusparse", "clAmdBlas", "clblas", "cublas", "cuda")
# Words of the generic interface that capital letters do not divide.
WORDS = ("SpGEMMreuse", "SpGEMM", "SpMMOp", "SpMM", "SpMV", "SpSV", "SpSM", "SpVV", "SDDMM", "GeMM", "SpVec", "DnVec", "SpMat",
         "DnMat", "AoS", "PCIBusId", "2D")
# NVIDIA's wrappers write these otherwise than the rule says; and Fortran takes these functions of Heron's for enumerators.
OTHER_NAMES = {f"cusparse{letter}gtsvStridedBatch": f"cusparse_{letter.lower()}gtsv_stridedbatch" for letter in "SDCZ"}
OTHER_NAMES |= {f"heron_batch_{kind}": f"heron_{kind}_operand" for kind in ("strided", "pointers", "indexed")}
LETTERS = "HSDCZ"


def is_host(argument, header, function):
    """Whether the pointer is to the host's memory."""
    base = header.base_of(argument.base)
    if argument.is_list:
        return False
    if argument.stars > 1 or base in header.enums or argument.base in header.handles or base in header.structs and is_plain(base):
        return True
    if argument.base in ALWAYS_HOST | header.callbacks or argument.name in LISTS or base.startswith("char"):
        return True
    return argument.name in SCALARS | OUTPUTS | ARRAYS or belongs_to(argument, function, OF_FUNCTIONS)


def belongs_to(argument, function, table):
    return any(argument.name in names and re.fullmatch(pattern, function.name) for pattern, names in table)


def is_movable(argument, function):
    """Whether the pointer mode says where the scalar lies."""
    return argument.name in MOVABLE or belongs_to(argument, function, (ROTATIONS,))


def is_plain(struct):
    """A struct that is not one of the complex types."""
    return struct not in ("float2", "double2", "__half")


def typed(name, names):
    """(letter, rest) of a function that exists for several scalar types, else (None, None)."""
    for prefix in PREFIXES:
        rest = name.removeprefix(prefix)
        if rest == name or len(rest) < 2:
            continue
        for pattern, first in OTHER_LETTERS if prefix == "cublas" else ():
            if match := re.fullmatch(pattern, rest):
                return match.group(1).upper(), first + match.group(2)
        if rest[0] in LETTERS and sum(prefix + letter + rest[1:] in names for letter in LETTERS) > 1:
            return rest[0], rest[1:]
    return None, None


def words(name):
    """GetMatType -> get_mat_type"""
    for word in WORDS:
        name = name.replace(word, word[0] + word[1:].lower())
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def prefix_of(name):
    return next((prefix for prefix in PREFIXES if name.startswith(prefix)), "")


def without_version(name):
    """cublasDgemm_v2_64 -> cublasDgemm_64, as C programs call it"""
    return name.replace("_v2", "")


def fortran_name(name, names):
    """cusparseSetMatIndexBase -> cusparse_set_mat_index_base, cusparseDcsrilu02_analysis -> cusparse_dcsrilu02_analysis"""
    if name in OTHER_NAMES:
        return OTHER_NAMES[name]
    prefix = prefix_of(name)
    if not prefix:
        return name.lower()
    rest = without_version(name.removeprefix(prefix))
    if typed(name, names)[0] or re.match(r"X[a-z]|i[SDCZ]", rest):
        return f"{prefix.lower()}_{rest.lower()}"
    first, *suffixes = rest.split("_")
    return "_".join([prefix.lower(), words(first), *(suffix.lower() for suffix in suffixes)])


def generic_name(name, names):
    """cusparseDcsrmv -> cusparse_csrmv"""
    letter, rest = typed(name, names)
    return f"{prefix_of(name).lower()}_{without_version(rest).lower()}" if letter else fortran_name(name, names)


def wrapped(line, width=128):
    """A line of free form in several, if it is too long; Fortran 2008 allows 132 characters."""
    indent = " " * (len(line) - len(line.lstrip()))
    lines = []
    while len(line) > width:
        cut = line.rfind(" ", 0, width - 2)
        lines.append(line[:cut] + " &")
        line = indent + "  & " + line[cut + 1:]
    return "\n".join([*lines, line])
