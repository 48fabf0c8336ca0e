#include "spmv_operands.hpp"

#include <algorithm>

namespace heron::tools {
namespace {

constexpr std::size_t most_copies = 1024;

// Gives parts of one allocation out, each at a multiple of 256 bytes, as separate allocations would have it.
class arena_layout {
  public:
    std::size_t take(std::size_t bytes) {
        constexpr std::size_t alignment = 256;
        const std::size_t offset = size_;
        size_ += (bytes + alignment - 1) / alignment * alignment;
        return offset;
    }
    std::size_t size() const { return size_; }

  private:
    std::size_t size_ = 0;
};

}  // namespace

spmv_operands::spmv_operands(const device& where, const packed_matrix& matrix, const product_type& type,
                             bool warm)
    : where_(where) {
    const auto longest = static_cast<std::size_t>(std::max(matrix.rows, matrix.cols));
    arena_layout layout;
    const std::size_t offsets = layout.take(matrix.offsets.size());
    const std::size_t row_indices = layout.take(matrix.row_indices.size());
    const std::size_t indices = layout.take(matrix.indices.size());
    const std::size_t values = layout.take(matrix.values.size());
    const std::size_t x = layout.take(longest * traits_of(type.input).size);
    const std::size_t y = layout.take(longest * traits_of(type.output).size);
    copy_bytes_ = std::max<std::size_t>(layout.size(), 1);

    const std::size_t wanted = warm ? 1 : where.cold_bytes() / copy_bytes_ + 1;
    for (std::size_t i = 0; i < std::min(wanted, most_copies); ++i) {
        device_buffer memory = where.allocate(copy_bytes_);
        where.copy(memory.at(offsets), matrix.offsets.data(), matrix.offsets.size());
        where.copy(memory.at(row_indices), matrix.row_indices.data(), matrix.row_indices.size());
        where.copy(memory.at(indices), matrix.indices.data(), matrix.indices.size());
        where.copy(memory.at(values), matrix.values.data(), matrix.values.size());
        const matrix_addresses addresses{memory.at(offsets), memory.at(row_indices), memory.at(indices),
                                         memory.at(values)};
        void* const x_address = memory.at(x);
        void* const y_address = memory.at(y);
        copies_.push_back({std::move(memory), addresses, x_address, y_address});
    }
    where.synchronize();
}

std::string spmv_operands::cache_state() const {
    return copy_bytes_ * copies_.size() > where_.cold_bytes() ? "cold" : "warm";
}

void spmv_operands::set_vectors(const std::vector<std::byte>& x, const std::vector<std::byte>& y,
                                std::size_t y_bytes) const {
    for (const copy& each : copies_) {
        where_.copy(each.x, x.data(), x.size());
        if (y.empty()) {
            where_.fill(each.y, 0xff, y_bytes);
        } else {
            where_.copy(each.y, y.data(), y_bytes);
        }
    }
    where_.synchronize();
}

std::vector<std::byte> spmv_operands::read_y(std::size_t which, std::size_t bytes) const {
    std::vector<std::byte> result(bytes);
    where_.copy(result.data(), copies_[which].y, bytes);
    where_.synchronize();
    return result;
}

}  // namespace heron::tools
