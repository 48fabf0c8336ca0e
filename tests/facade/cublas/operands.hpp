#pragma once
// Valid and invalid values for the arguments of cuBLAS's functions, by their names and types: what a function
// calls its arguments says what they are.
#include "facade.hpp"
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

namespace heron::test {

// Every argument is an integer, an enumerator or a pointer, and travels as one number, so that what tries
// them is compiled once and not for each function.
using argument_value = int64_t;

enum class argument_kind { library_handle, data_type, compute_type, enumerator, list, pointer, integer };

template <class T>
constexpr argument_kind kind_of() {
    if (std::is_same_v<T, cublasHandle_t>) return argument_kind::library_handle;
    if (std::is_same_v<T, cudaDataType>) return argument_kind::data_type;
    if (std::is_same_v<T, cublasComputeType_t>) return argument_kind::compute_type;
    if (std::is_enum_v<T>) return argument_kind::enumerator;
    if (!std::is_pointer_v<T>) return argument_kind::integer;
    return std::is_pointer_v<std::remove_pointer_t<T>> ? argument_kind::list : argument_kind::pointer;
}

template <class T>
T argument_from(argument_value value) {
    if constexpr (std::is_pointer_v<T>)
        return reinterpret_cast<T>(value);
    else
        return static_cast<T>(value);
}

struct tried_function {
    const char* name;
    std::function<cublasStatus_t(const argument_value*)> call;
    std::vector<argument_kind> kinds;
};

template <class... A>
tried_function tried_function_of(const char* name, cublasStatus_t (*function)(A...)) {
    const auto call = [function]<size_t... i>(const argument_value* values, std::index_sequence<i...>) {
        return function(argument_from<A>(values[i])...);
    };
    return {name,
            [call](const argument_value* values) { return call(values, std::index_sequence_for<A...>()); },
            {kind_of<A>()...}};
}

class operands {
  public:
    explicit operands(cudaDataType type) : type_(type) {}

    // Makes every argument invalid in turn. Of vectors: sizes and increments of every sign mean something.
    template <class... A>
    void try_vectors(const char* name, cublasStatus_t (*function)(A...), const char* arguments) const {
        try_function(tried_function_of(name, function), arguments, true);
    }
    template <class... A>
    void try_matrices(const char* name, cublasStatus_t (*function)(A...), const char* arguments) const {
        try_function(tried_function_of(name, function), arguments, false);
    }

  private:
    void try_function(const tried_function& f, const char* arguments, bool vectors) const;
    argument_value valid(argument_kind kind, const std::string& name) const;

    const cudaDataType type_;
    const blas_handle handle_;
};

}  // namespace heron::test
