// Batched Kronecker products as a test sees them: shapes, layouts and where each item's operands lie, with
// the oracle.
#pragma once

#include "reference.hpp"
#include "rig.hpp"

namespace heron::test {

// Offsets of the items' operands in one array, in elements, and how the library is told of them.
struct kron_places {
    heron_batch_kind kind = HERON_BATCH_STRIDED;
    heron_index_type index_type = HERON_INDEX_32;
    std::int64_t unit = 1;                // STRIDED: the stride; INDEXED: every offset is a multiple of it
    std::vector<std::int64_t> offsets{};  // one per item
    std::int64_t extent() const;          // largest offset + 1
};

struct kron_factor_case {
    std::int64_t m = 1, n = 1, ld = 1;
    heron_operation op = HERON_OP_NONE;
    kron_places places{};
    std::vector<number> stored{};  // the array that the places point into

    std::int64_t stored_size(heron_order order) const;
};

struct kron_problem {
    heron_type type = HERON_R_64F;
    std::vector<kron_factor_case> factors{};
    heron_order factor_order = HERON_ORDER_COLUMN;
    heron_order vector_order = HERON_ORDER_COLUMN;
    std::int64_t count = 1, vectors = 1, ldx = 1, ldy = 1;
    kron_places x_places{}, y_places{};  // of y: one per group in ADD_GROUPED
    std::vector<number> x{}, y{};
    heron_kron_output output = HERON_KRON_STORE;
    heron_kron_algorithm algorithm = HERON_KRON_FUSED;
    number alpha = 1.0, beta = 0.0;
    std::vector<std::int64_t> group_offsets{}, group_items{};
    heron_index_type group_type = HERON_INDEX_32;

    std::int64_t rows() const;
    std::int64_t columns() const;
    std::int64_t x_offset(std::int64_t i, std::int64_t v) const;
    std::int64_t y_offset(std::int64_t i, std::int64_t v) const;
    // Elements that one item's X or Y reaches over.
    std::int64_t x_reach() const;
    std::int64_t y_reach() const;
    std::size_t element_size() const;
    cudaDataType data_type() const;

    // Places for `count` operands of `reach` elements: with `distinct` they do not overlap.
    kron_places places(random_source& random, std::int64_t operands, std::int64_t reach, bool distinct,
                       bool shared) const;
    // Fills factors, x and y with numbers of the type; what no item uses of y is NaN in STORE.
    void fill(random_source& random);
};

// Square factors n x n without gaps, everything strided and distinct.
kron_problem square_kron(heron_type type, int ndim, std::int64_t n, std::int64_t count,
                         random_source& random);

// The whole array of Y. Checks every element; where the explicit product would be too long, some rows of
// every output.
expectation expected_kron(const kron_problem& p, std::vector<bool>& checked);

// A problem on the device.
class kron_run {
  public:
    explicit kron_run(const kron_problem& p);
    heron_status run(bool scalars_on_device = false);
    std::size_t workspace_bytes();
    std::vector<unsigned char> y_bytes() const { return y_.bytes(); }
    heron_kronmult_desc& desc() { return desc_; }
    void reset_y();
    // Empty when all is right, X and the factors included.
    std::string difference();

  private:
    heron_batch_operand operand(const kron_places& places, void* base);

    const kron_problem& problem_;
    std::vector<std::unique_ptr<device_memory>> memory_;
    device_memory x_, y_;
    heron_kronmult_desc desc_{};
};

// Runs once and compares.
void check_kron(const kron_problem& p);

}  // namespace heron::test
