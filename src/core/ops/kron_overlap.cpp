// Whether the outputs of a batch are distinct, and its groups groups of its items.
#include "kron.hpp"
#include "core/element_types.hpp"
#include "core/submit.hpp"
#include <algorithm>
#include <vector>

namespace heron::core {
namespace {

int64_t rows(const heron_kronmult_args& args) {
    int64_t size = 1;
    for (int i = 0; i < args.ndim; ++i) size *= args.factors[i].m;
    return size;
}

// Steps of a lattice of elements. Distinct for certain when every step exceeds what the smaller ones reach.
struct lattice {
    int64_t step, count;
};

bool is_distinct(std::vector<lattice> axes) {
    std::sort(axes.begin(), axes.end(), [](const lattice& a, const lattice& b) { return a.step < b.step; });
    int64_t reach = 0;
    for (const lattice& axis : axes) {
        if (axis.count > 1 && axis.step <= reach) return false;
        reach += axis.step * (axis.count - 1);
    }
    return true;
}

// In bytes, or in bytes from the common base.
std::vector<int64_t> starts(context& c, const heron_batch_operand& y, int64_t count, int64_t element) {
    std::vector<int64_t> result;
    if (y.kind == HERON_BATCH_STRIDED) {
        for (int64_t k = 0; k < count; ++k) result.push_back(k * y.stride * element);
        return result;
    }
    const bool is_indexed = y.kind == HERON_BATCH_INDEXED;
    const std::vector<int64_t> list =
        download(c, y.list, (count - 1) * y.list_step + 1, is_indexed ? y.index_type : HERON_INDEX_64);
    for (int64_t k = 0; k < count; ++k)
        result.push_back(list[static_cast<size_t>(k * y.list_step)] * (is_indexed ? y.stride * element : 1));
    return result;
}

struct output_start {
    int64_t address, item;
    bool operator<(const output_start& other) const { return address < other.address; }
};

[[noreturn]] void refuse(int64_t item, int64_t other) {
    invalid(role::y,
            fmt::format("the outputs of items {} and {} overlap, which this output mode does not allow",
                        std::min(item, other), std::max(item, other)));
}

// Element by element: outputs that lie inside each other without touching are legal.
void check_elements(const heron_kronmult_args& args, const std::vector<output_start>& outputs,
                    int64_t element) {
    std::vector<output_start> all;
    for (const output_start& o : outputs)
        for (int64_t v = 0; v < args.vectors; ++v)
            for (int64_t i = 0; i < rows(args); ++i)
                all.push_back({o.address + (i * args.y_step + v * args.y_column_step) * element, o.item});
    std::sort(all.begin(), all.end());
    for (size_t k = 1; k < all.size(); ++k)
        if (all[k].address - all[k - 1].address < element) refuse(all[k - 1].item, all[k].item);
}

void check_contents(context& c, const heron_kronmult_args& args, int64_t count) {
    const auto element = static_cast<int64_t>(size_of(args.type));
    const int64_t span =
        ((rows(args) - 1) * args.y_step + (args.vectors - 1) * args.y_column_step + 1) * element;
    std::vector<output_start> outputs;
    for (const int64_t start : starts(c, args.y, count, element))
        outputs.push_back({start, static_cast<int64_t>(outputs.size())});
    std::sort(outputs.begin(), outputs.end());
    for (size_t k = 1; k < outputs.size(); ++k)
        if (outputs[k].address - outputs[k - 1].address < span) return check_elements(args, outputs, element);
}

void check_groups(context& c, const heron_kronmult_args& args) {
    const std::vector<int64_t> offsets =
        download(c, args.group_offsets, args.group_count + 1, args.group_type);
    if (offsets.front() != 0 || offsets.back() != args.count ||
        !std::is_sorted(offsets.begin(), offsets.end()))
        invalid(argument{role::groups, part::offsets}, fmt::format("do not ascend from 0 to {}", args.count));
    if (!args.group_items) return;
    for (const int64_t item : download(c, args.group_items, args.count, args.group_type))
        if (item < 0 || item >= args.count)
            invalid(argument{role::groups, part::indices},
                    fmt::format("holds {}, but there are {} items", item, args.count));
}

}  // namespace

void require_distinct_outputs(context& c, const heron_kronmult_args& args) {
    if (args.output == HERON_KRON_ADD_ATOMIC || args.output == HERON_KRON_ADD_DETERMINISTIC) return;
    const int64_t count = args.output == HERON_KRON_ADD_GROUPED ? args.group_count : args.count;
    const int64_t size = rows(args);
    if (size == 0 || args.vectors == 0 || args.count == 0) return;
    if (args.output == HERON_KRON_ADD_GROUPED && count > 0 && validating()) check_groups(c, args);
    if (count < 2) return;
    if (args.y.kind == HERON_BATCH_STRIDED) {
        if (args.y.stride == 0) refuse(0, 1);
        if (is_distinct({{args.y_step, size}, {args.y_column_step, args.vectors}, {args.y.stride, count}}))
            return;
        if (args.y_step == 1 && args.vectors == 1) refuse(0, 1);
    }
    if (validating()) check_contents(c, args, count);
}

}  // namespace heron::core
