#pragma once
// Valid and invalid values for the arguments of cuBLAS's functions, by their names and types: what a function
// calls its arguments says what they are.
#include "facade.hpp"
#include <cstdint>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

namespace heron::test {

template <class Pointer>
Pointer misaligned(Pointer p) {
    return reinterpret_cast<Pointer>(reinterpret_cast<uintptr_t>(p) + 1);
}

inline bool is_one_of(const std::string& name, const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

class operands {
  public:
    explicit operands(cudaDataType type) : type_(type) {}

    // Of vectors: sizes and increments of every sign mean something.
    template <class... A>
    void try_vectors(const char* name, cublasStatus_t (*function)(A...), const char* arguments) const {
        try_function(name, function, arguments, true);
    }
    template <class... A>
    void try_matrices(const char* name, cublasStatus_t (*function)(A...), const char* arguments) const {
        try_function(name, function, arguments, false);
    }

  private:
    template <class... A>
    void try_function(const char* name, cublasStatus_t (*function)(A...), const char* arguments,
                      bool vectors) const {
        std::vector<std::string> names;
        std::istringstream text(arguments);
        for (std::string argument; text >> argument;) names.push_back(argument);
        REQUIRE(names.size() == sizeof...(A));
        // dgmm, the one with a mode, takes a vector that repeats one element.
        const bool repeats = vectors || is_one_of("mode", names);
        try_each(name, function, names, {vectors, repeats}, std::index_sequence_for<A...>());
    }

    // Which numbers are valid whatever they are.
    struct freedom {
        bool sizes, increments;
    };

    template <class... A, size_t... i>
    void try_each(const char* name, cublasStatus_t (*function)(A...), const std::vector<std::string>& names,
                  const freedom& free, std::index_sequence<i...>) const {
        std::memset(memory, 0, sizeof memory);
        subject tested(name, function, valid<A>(names[i])...);
        tested.works().watch(memory, sizeof memory);
        (try_argument<i, A>(tested, names[i], free), ...);
    }

    template <class T>
    T valid(const std::string& name) const {
        if constexpr (std::is_same_v<T, cublasHandle_t>) {
            return handle_;
        } else if constexpr (std::is_same_v<T, cudaDataType>) {
            const bool real = is_one_of(name, {"resultType", "csType"}) && type_ == CUDA_C_32F;
            return real ? CUDA_R_32F : type_;
        } else if constexpr (std::is_same_v<T, cublasComputeType_t>) {
            return CUBLAS_COMPUTE_32F;
        } else if constexpr (std::is_enum_v<T>) {
            return static_cast<T>(0);
        } else if constexpr (std::is_pointer_v<T>) {
            using element = std::remove_pointer_t<T>;
            if constexpr (std::is_pointer_v<element>) return reinterpret_cast<T>(list_);
            return reinterpret_cast<T>(is_one_of(name, {"alpha", "beta"}) ? scalars : memory);
        } else {
            if (name.starts_with("ld")) return 4;
            if (name.starts_with("inc") || is_one_of(name, {"kl", "ku", "batchCount"})) return 1;
            return name.starts_with("stride") ? 16 : 2;
        }
    }

    template <size_t i, class T, class Subject>
    void try_argument(Subject& tested, const std::string& name, const freedom& free) const {
        if constexpr (std::is_same_v<T, cublasHandle_t>) {
            tested.template bad<i>("handle", nullptr, blas_not_initialized);
        } else if constexpr (std::is_same_v<T, cudaDataType>) {
            tested.template bad<i>(name.c_str(), static_cast<cudaDataType>(99));
            tested.template bad<i>(name.c_str(), CUDA_R_8U, blas_not_supported);
        } else if constexpr (std::is_enum_v<T>) {
            tested.template bad<i>(name.c_str(), static_cast<T>(99'999));
            tested.template bad<i>(name.c_str(), static_cast<T>(-2));
            if (is_one_of(name, {"uplo", "side", "mode", "diag"}))
                tested.template bad<i>(name.c_str(), static_cast<T>(2));
            if (name.starts_with("trans")) tested.template bad<i>(name.c_str(), static_cast<T>(3));
        } else if constexpr (std::is_pointer_v<T>) {
            tested.template bad<i>(name.c_str(), nullptr);
            constexpr bool is_list = std::is_pointer_v<std::remove_pointer_t<T>>;
            if (!is_list && is_one_of(name, {"A", "AP", "B", "C", "x", "y"}))
                tested.template bad<i>(name.c_str(), misaligned(valid<T>(name)));
        } else {
            try_number<i, T>(tested, name, free);
        }
    }

    template <size_t i, class T, class Subject>
    void try_number(Subject& tested, const std::string& name, const freedom& free) const {
        if (name.starts_with("stride"))
            tested.template bad<i>(name.substr(6).c_str(), -1);
        else if (name.starts_with("ld"))
            tested.template bad<i>(name.c_str(), 1).template bad<i>(name.c_str(), -4);
        else if (name.starts_with("inc") && !free.increments)
            tested.template bad<i>(name.c_str(), 0);
        else if (!name.starts_with("inc") && !free.sizes)
            tested.template bad<i>(name.c_str(), -1);
        else
            tested.template any<i>();
    }

    static constexpr size_t memory_size = 1024;
    alignas(16) inline static char memory[memory_size];
    // Small numbers in every type.
    alignas(16) inline static char scalars[17] = "<<<<<<<<<<<<<<<<";
    inline static char* list_[4] = {memory, memory, memory, memory};

    const cudaDataType type_;
    const blas_handle handle_;
};

}  // namespace heron::test
