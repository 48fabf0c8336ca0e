#include "argument.hpp"
#include <iterator>

namespace heron::core {
namespace {

// Indexed by part.
constexpr const char* part_names[] = {
    "",
    "rows",
    "cols",
    "nnz",
    "size",
    "offsets",
    "row_indices",
    "indices",
    "values",
    "type",
    "offset_type",
    "index_type",
    "block_rows",
    "block_cols",
    "slice_size",
    "values_size",
    "ell_cols",
    "ld",
    "offset",
    "extent",
    "order",
    "op",
    "batch_count",
    "stride",
    "offsets_stride",
    "indices_stride",
    "values_stride",
    "kind",
    "base",
    "list",
    "list_step",
    "inc",
};
static_assert(std::size(part_names) == static_cast<size_t>(part::inc) + 1);

const char* find(argument_names names, argument a) {
    for (const argument_name& n : names)
        if (n.argument.role == a.role && n.argument.part == a.part) return n.name;
    return nullptr;
}

std::string numbered(std::string name, int number) {
    if (const size_t place = name.find('#'); place != std::string::npos)
        return name.replace(place, 1, std::to_string(number));
    return number < 0 ? name : name + ", item " + std::to_string(number);
}

}  // namespace

std::string public_function::name_of(core::argument a) const {
    const char* const found = find(own, a) ? find(own, a) : find(api, a);
    if (found) return numbered(found, a.number);
    if (a.part == part::whole) return {};
    return name_of(a[part::whole]) + joint + part_names[static_cast<size_t>(a.part)];
}

}  // namespace heron::core
