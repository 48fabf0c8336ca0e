#include "names.hpp"

namespace heron::core {
namespace {

constexpr argument_name names[] = {
    {role::handle, "handle"},
    {role::device, "device"},
    {role::backend, "backend"},
    {role::threads, "threads"},
    {role::log_level, "level"},
    {role::log_mask, "mask"},
    {role::log_file, "path"},
    {role::a, "a"},
    {role::b, "b"},
    {role::c, "c"},
    {{role::a, part::extent}, "a"},
    {{role::b, part::extent}, "b"},
    {{role::c, part::extent}, "c"},
    {role::x, "x"},
    {role::y, "y"},
    {role::alpha, "alpha"},
    {role::beta, "beta"},
    {role::operation_a, "op_a"},
    {role::operation_b, "op_b"},
    {role::order, "order"},
    {role::fill, "uplo"},
    {role::side, "side"},
    {role::diagonal, "diag"},
    {role::type, "type"},
    {role::compute_type, "compute_type"},
    {role::algorithm, "algorithm"},
    {role::rows, "m"},
    {role::columns, "n"},
    {role::inner, "k"},
    {role::count, "count"},
    {{role::x, part::extent}, "x"},
    {{role::y, part::extent}, "y"},
    {role::cosine, "c"},
    {role::sine, "s"},
    {role::result, "result"},
    {role::parameters, "parameters"},
    {role::lower_bandwidth, "kl"},
    {role::upper_bandwidth, "ku"},
    {role::storage, "storage"},
    {role::workspace, "workspace"},
    {role::workspace_size, "workspace_bytes"},
};

}  // namespace

constinit const argument_names native_names = names;

}  // namespace heron::core
