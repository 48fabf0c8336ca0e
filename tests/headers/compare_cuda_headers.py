#!/usr/bin/env python3
"""Compare include/compat/cuda with the headers of an installed CUDA 13 toolkit.

One program is compiled against each and must print the same: the value of every enumerator and flag, size, alignment
and field offsets of every struct, the type of every function, and the results of the half and bfloat16 conversions.
Exits with 77, which ctest takes for "skipped", where there is no toolkit of CUDA 13.
"""
import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

OURS = pathlib.Path(__file__).resolve().parents[2] / "include/compat/cuda"
HEADERS = ("cuda_runtime_api.h", "driver_types.h", "library_types.h", "vector_types.h", "cuComplex.h", "cuda_profiler_api.h")
SKIPPED = 77
# Fields that CUDA 13 has dropped, which ours keeps in its reserved end.
KEPT = {"cudaDeviceProp": ("clockRate", "deviceOverlap", "kernelExecTimeoutEnabled", "computeMode", "memoryClockRate",
                           "singleToDoublePrecisionPerfRatio", "cooperativeMultiDeviceLaunch", "reserved")}

PROLOGUE = """
#include <cuda_runtime_api.h>
#include <cuda_profiler_api.h>
#include <library_types.h>
#include <cuComplex.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <typeinfo>

template <class T> T from_bits(unsigned bits) { T v; std::memcpy(&v, &bits, sizeof v); return v; }
template <class T> T from_bits64(std::uint64_t bits) { T v; std::memcpy(&v, &bits, sizeof v); return v; }
template <class T> unsigned to_bits(T v) { unsigned bits = 0; std::memcpy(&bits, &v, sizeof v); return bits; }

struct digest {
    std::uint64_t value = 1469598103934665603u;
    void add(unsigned bits) { value = (value ^ bits) * 1099511628211u; }
};

static bool is_nan(unsigned bits) { return (bits & 0x7fffffffu) > 0x7f800000u; }

// A float NaN is a NaN whatever its payload, which hardware and toolkit versions choose differently.
static void widen() {
    digest half, bfloat;
    for (unsigned i = 0; i < 65536; ++i) {
        const unsigned short bits = static_cast<unsigned short>(i);
        const unsigned h = to_bits(__half2float(__half(__half_raw{bits})));
        const unsigned b = to_bits(__bfloat162float(__nv_bfloat16(__nv_bfloat16_raw{bits})));
        half.add(is_nan(h) ? 1u : h);
        bfloat.add(is_nan(b) ? 1u : b);
    }
    std::printf("half to float %llx\\n", static_cast<unsigned long long>(half.value));
    std::printf("bfloat16 to float %llx\\n", static_cast<unsigned long long>(bfloat.value));
}

static unsigned narrow(digest& half, digest& bfloat, unsigned bits) {
    const float v = from_bits<float>(bits);
    half.add(__half_raw(__float2half(v)).x);
    bfloat.add(__nv_bfloat16_raw(__float2bfloat16(v)).x);
    return bits;
}

// Every float exponent, with the mantissas around each tie and a spread of others.
static void narrow_floats() {
    digest half, bfloat;
    for (unsigned head = 0; head < (1u << 19); ++head)
        for (unsigned tail : {0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x1fffu}) narrow(half, bfloat, (head << 13) | tail);
    for (std::uint64_t bits = 0; bits < (1ull << 32); bits += 4099) narrow(half, bfloat, static_cast<unsigned>(bits));
    std::printf("float to half %llx\\n", static_cast<unsigned long long>(half.value));
    std::printf("float to bfloat16 %llx\\n", static_cast<unsigned long long>(bfloat.value));
}

// Doubles next to a tie, which a step through float would round wrong.
static void narrow_doubles() {
    digest half, bfloat;
    for (std::uint64_t exponent = 860; exponent < 1160; ++exponent)
        for (std::uint64_t head = 0; head < 2048; ++head)
            for (int step = -1; step <= 1; ++step)
                for (std::uint64_t sign = 0; sign < 2; ++sign) {
                    const double v = from_bits64<double>((sign << 63) | ((exponent << 52) + (head << 41) + step));
                    half.add(__half_raw(__double2half(v)).x);
                    bfloat.add(__nv_bfloat16_raw(__double2bfloat16(v)).x);
                }
    std::printf("double to half %llx\\n", static_cast<unsigned long long>(half.value));
    std::printf("double to bfloat16 %llx\\n", static_cast<unsigned long long>(bfloat.value));
}
"""


def toolkit_include():
    nvcc = shutil.which("nvcc")
    home = os.environ.get("CUDA_HOME") or (nvcc and pathlib.Path(nvcc).resolve().parents[1])
    include = home and pathlib.Path(home) / "include"
    header = include and include / "cuda_runtime_api.h"
    if not header or not header.exists():
        return None
    return include if re.search(r"#define CUDART_VERSION\s+13\d", header.read_text()) else None


def text_of(folder):
    text = "\n".join((folder / name).read_text() for name in HEADERS)
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)


def enums(text):
    """Enumerators by tag."""
    return {tag: re.findall(r"(\w+)\s*(?:=[^,]+)?(?:,|$)", body.strip())
            for tag, body in re.findall(r"enum\s+(?:__device_builtin__\s+)?(\w+)\s*\{(.*?)\}", text, re.S)}


def lacking(include):
    """Enumerators that the toolkit has and we lack, in the enums that we have."""
    theirs = enums(text_of(include))
    return [name for tag, names in enums(text_of(OURS)).items() for name in theirs.get(tag, [tag]) if name not in names]


def facts():
    """Names to compare, taken from our headers: expressions, structs with their fields, functions."""
    text = text_of(OURS)
    expressions = re.findall(r"#define (cuda\w+|CUDART_VERSION) ", text)
    expressions += [name for names in enums(text).values() for name in names]
    structs = {name: re.findall(r"(\w+)(?:\[\w+\])?[;,]", re.sub(r"#ifdef __cplusplus.*?#endif", "", body, flags=re.S))
               for name, body in re.findall(r"struct (?:__builtin_align__\(\d+\) )?(\w+) \{(.*?)\n\}", text, re.S)}
    for name, kept in KEPT.items():
        structs[name] = [field for field in structs[name] if field not in kept]
    functions = re.findall(r"CUDARTAPI (\w+)\(", text)
    return expressions, structs, functions


def program():
    expressions, structs, functions = facts()
    lines = [PROLOGUE, "int main() {"]
    lines += [f'    std::printf("{e} %lld\\n", (long long)({e}));' for e in expressions]
    for name, fields in structs.items():
        lines.append(f'    std::printf("{name} size %zu align %zu\\n", sizeof({name}), alignof({name}));')
        lines += [f'    std::printf("{name}.{f} %zu\\n", offsetof({name}, {f}));' for f in fields]
    lines += [f'    std::printf("{f} %s\\n", typeid(decltype({f})).name());' for f in functions]
    lines += ['    std::printf("__half %zu %zu %s\\n", sizeof(__half), alignof(__half2), typeid(__half).name());',
              '    std::printf("__nv_bfloat16 %zu %zu\\n", sizeof(__nv_bfloat16), alignof(__nv_bfloat162));',
              "    widen();", "    narrow_floats();", "    narrow_doubles();", "}"]
    return "\n".join(lines), len(expressions), len(structs), len(functions)


def output(source, include, compiler):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "facts.cpp"
        path.write_text(source)
        binary = path.with_suffix("")
        subprocess.run([compiler, "-std=c++17", "-O1", "-w", f"-I{include}", path, "-o", binary], check=True)
        return subprocess.run([binary], check=True, capture_output=True, text=True).stdout.splitlines()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
    options = parser.parse_args()
    include = toolkit_include()
    if include is None:
        print("skipped: no CUDA 13 toolkit here")
        return SKIPPED
    source, expressions, structs, functions = program()
    ours, theirs = (output(source, folder, options.compiler) for folder in (OURS, include))
    differences = list(difflib.unified_diff(theirs, ours, str(include), str(OURS), lineterm="", n=0))
    differences += [f"lacking: {name}" for name in lacking(include)]
    print("\n".join(differences))
    print(f"{expressions} values, {structs} structs, {functions} functions, 6 conversions: "
          f"{'equal' if not differences else 'DIFFERENT'}")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
