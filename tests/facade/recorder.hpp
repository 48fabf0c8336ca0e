#pragma once
// The recording plug-in in the host plug-in's place, and operands for the calls that reach it.
#include "facade/cusparse/facade.hpp"
#include "recording.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

namespace heron::test {

// The recorder takes the host plug-in's place. Set before the library's first use.
inline const bool recorder_chosen =
    setenv("HERON_PLUGIN_PATH", HERON_RECORDER_DIR, 1) == 0 && setenv("HERON_BACKEND", "host", 1) == 0;

inline recorded_call& recorded() {
    static const auto function = [] {
        void* const plugin = dlopen(HERON_RECORDER_DIR "/libheron-host.so", RTLD_NOW | RTLD_NOLOAD);
        REQUIRE(plugin);
        return reinterpret_cast<heron_recorded_function>(dlsym(plugin, "heron_recorded"));
    }();
    REQUIRE(function);
    return *function();
}

// The arguments of the last call, which must have been this operation in this phase.
template <class Args>
Args arguments(const char* operation, heron_phase phase, const void* memory = nullptr) {
    const recorded_call& call = recorded();
    REQUIRE(std::string(call.operation) == operation);
    CHECK(call.phase == phase);
    CHECK(call.memory == memory);
    REQUIRE(call.args_size == sizeof(Args));
    Args args;
    std::memcpy(&args, call.args, sizeof args);
    return args;
}

// Operands; nothing reads them.
alignas(16) inline char x_values[256], y_values[256], values[256], buffer[RECORDED_SIZE];
alignas(16) inline int64_t offsets[16], rows[16], columns[16];

inline bool is_host_value(const heron_scalar& s, double re, double im = 0) {
    return !s.device && s.re == re && s.im == im;
}

inline void check_vector(const heron_dnvec& v, int64_t size, const void* data, heron_type type) {
    CHECK(v.size == size);
    CHECK(v.values == data);
    CHECK(v.type == type);
}

inline void check_sparse_x(const heron_spvec& v, heron_index_type index_type, int base, heron_type type) {
    CHECK(v.size == 9);
    CHECK(v.nnz == 3);
    CHECK(v.indices == columns);
    CHECK(v.values == x_values);
    CHECK(v.index_type == index_type);
    CHECK(v.base == base);
    CHECK(v.type == type);
}

struct element_case {
    cudaDataType cuda;
    heron_type type;
    cudaDataType cuda_compute;
    heron_type compute;
};

inline constexpr element_case uniform[] = {
    {CUDA_R_32F, HERON_R_32F, CUDA_R_32F, HERON_R_32F}, {CUDA_R_64F, HERON_R_64F, CUDA_R_64F, HERON_R_64F},
    {CUDA_C_32F, HERON_C_32F, CUDA_C_32F, HERON_C_32F}, {CUDA_C_64F, HERON_C_64F, CUDA_C_64F, HERON_C_64F},
    {CUDA_R_16F, HERON_R_16F, CUDA_R_32F, HERON_R_32F}, {CUDA_R_16BF, HERON_R_16BF, CUDA_R_32F, HERON_R_32F},
    {CUDA_C_16F, HERON_C_16F, CUDA_C_32F, HERON_C_32F}, {CUDA_C_16BF, HERON_C_16BF, CUDA_C_32F, HERON_C_32F},
};

// A scalar of any compute type, in host memory.
struct scalar {
    scalar(heron_type type, double re, double im = 0) { fill(type, re, im); }
    void fill(heron_type type, double re, double im) {
        switch (type) {
            case HERON_R_32I: return put(static_cast<int32_t>(re));
            case HERON_R_32F: return put(static_cast<float>(re));
            case HERON_R_64F: return put(re);
            case HERON_C_32F: return put(cuComplex{static_cast<float>(re), static_cast<float>(im)});
            default: return put(cuDoubleComplex{re, im});
        }
    }
    template <class T>
    void put(T value) {
        std::memcpy(bytes, &value, sizeof value);
    }
    operator const void*() const { return bytes; }
    alignas(16) char bytes[16]{};
};

struct index_case {
    cusparseIndexType_t cusparse;
    heron_index_type type;
};
inline constexpr index_case index_types[] = {{CUSPARSE_INDEX_32I, HERON_INDEX_32},
                                             {CUSPARSE_INDEX_64I, HERON_INDEX_64}};
inline constexpr cusparseIndexBase_t bases[] = {CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_INDEX_BASE_ONE};

// op of a matrix as it is, and of a CSC matrix, which arrives as the CSR matrix of its transpose.
struct operation_case {
    cusparseOperation_t cusparse;
    heron_operation direct, of_csc;
};
inline constexpr operation_case operations[] = {
    {CUSPARSE_OPERATION_NON_TRANSPOSE, HERON_OP_NONE, HERON_OP_TRANSPOSE},
    {CUSPARSE_OPERATION_TRANSPOSE, HERON_OP_TRANSPOSE, HERON_OP_NONE},
    {CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, HERON_OP_CONJUGATE_TRANSPOSE, HERON_OP_CONJUGATE},
};

inline bool is_complex(heron_type type) { return type >= HERON_C_16F; }

}  // namespace heron::test
