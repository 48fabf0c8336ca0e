#include "factor_contenders.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace heron::tools {
namespace {

char letter_of(scalar_type type) {
    switch (type) {
        case scalar_type::f32: return 'S';
        case scalar_type::f64: return 'D';
        case scalar_type::c32: return 'C';
        default: return 'Z';
    }
}

// The functions of one factorisation of one type. Values and infos are taken by address alone, so that one
// set of types does for all.
class factor_functions {
  public:
    factor_functions(const cusparse_library& library, const factor_case& what)
        : library_(library),
          name_(fmt::format("{}{}02", what.matrix.how.format == sparse_format::bsr ? "bsr" : "csr",
                            what.lu ? "ilu" : "ic")),
          letter_(letter_of(what.type)) {}

    template <class F>
    F function(const char* suffix) const {
        return find<F>(fmt::format("cusparse{}{}{}", letter_, name_, suffix));
    }
    // verb: Create or Destroy.
    auto info(const char* verb) const {
        std::string name = name_;
        name[0] = static_cast<char>(name[0] - 'a' + 'A');
        return fmt::format("cusparse{}{}Info", verb, name);
    }
    template <class F>
    F find(const std::string& name) const {
        return library_.function<F>(name.c_str());
    }

  private:
    const cusparse_library& library_;
    std::string name_;
    char letter_;
};

class cusparse_factor : public factor_contender {
  public:
    cusparse_factor(const cusparse_handle& handle, const factor_operands& operands, const factor_case& what)
        : library_(handle.library()),
          handle_(handle.get()),
          functions_(library_, what),
          what_(what),
          operands_(operands) {
        using create_descr = cusparseStatus_t (*)(cusparseMatDescr_t*);
        library_.check(functions_.find<create_descr>("cusparseCreateMatDescr")(&descr_),
                       "cusparseCreateMatDescr");
    }
    ~cusparse_factor() override {
        destroy();
        functions_.find<cusparseStatus_t (*)(cusparseMatDescr_t)>("cusparseDestroyMatDescr")(descr_);
    }

    // From a new info on, since that is where an analysis is kept.
    double analyse() override {
        destroy();
        library_.check(functions_.find<cusparseStatus_t (*)(void**)>(functions_.info("Create"))(&info_),
                       "creating an info");
        int size = 0;
        call("_bufferSize", &size);
        const auto needed = static_cast<std::size_t>(size);
        if (needed > buffer_bytes || !buffer_.get()) buffer_ = operands_.where.allocate(needed + 128);
        buffer_bytes = needed;
        operands_.where.synchronize();
        const auto start = std::chrono::steady_clock::now();
        call("_analysis", CUSPARSE_SOLVE_POLICY_USE_LEVEL, buffer_.get());
        operands_.where.synchronize();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    void factor() override { call("", CUSPARSE_SOLVE_POLICY_USE_LEVEL, buffer_.get()); }

  private:
    void destroy() {
        if (info_) functions_.find<cusparseStatus_t (*)(void*)>(functions_.info("Destroy"))(info_);
        info_ = nullptr;
    }

    template <class... More>
    void call(const char* suffix, More... more) const {
        const packed_matrix& m = what_.matrix;
        const auto* const offsets = static_cast<const int*>(operands_.matrix.offsets);
        const auto* const columns = static_cast<const int*>(operands_.matrix.indices);
        const int nnz = static_cast<int>(m.nnz);
        cusparseStatus_t status{};
        if (m.how.format == sparse_format::bsr) {
            using function =
                cusparseStatus_t (*)(cusparseHandle_t, cusparseDirection_t, int, int, cusparseMatDescr_t,
                                     void*, const int*, const int*, int, void*, More...);
            const int block = static_cast<int>(m.how.block);
            status = functions_.function<function>(suffix)(
                handle_, CUSPARSE_DIRECTION_ROW, static_cast<int>(m.rows) / block, nnz, descr_,
                operands_.matrix.values, offsets, columns, block, info_, more...);
        } else {
            using function = cusparseStatus_t (*)(cusparseHandle_t, int, int, cusparseMatDescr_t, void*,
                                                  const int*, const int*, void*, More...);
            status = functions_.function<function>(suffix)(handle_, static_cast<int>(m.rows), nnz, descr_,
                                                           operands_.matrix.values, offsets, columns, info_,
                                                           more...);
        }
        library_.check(status, suffix);
    }

    const cusparse_library& library_;
    cusparseHandle_t handle_;
    factor_functions functions_;
    const factor_case what_;
    const factor_operands& operands_;
    cusparseMatDescr_t descr_ = nullptr;
    void* info_ = nullptr;
    device_buffer buffer_;
};

}  // namespace

factor_operands::factor_operands(const device& d, const factor_case& what)
    : where(d), bytes(what.matrix.values.size()) {
    const auto up = [](std::size_t size) { return (size + 255) / 256 * 256; };
    const packed_matrix& m = what.matrix;
    memory = where.allocate(up(m.offsets.size()) + up(m.indices.size()) + 2 * up(bytes));
    std::size_t used = 0;
    const auto place = [&](const std::vector<std::byte>& from) {
        void* const to = memory.at(used);
        where.copy(to, from.data(), from.size());
        used += up(from.size());
        return to;
    };
    matrix.offsets = place(m.offsets);
    matrix.indices = place(m.indices);
    matrix.values = place(m.values);
    original = place(m.values);
    where.synchronize();
}

void factor_operands::restore() const { where.copy(matrix.values, original, bytes); }

std::unique_ptr<factor_contender> make_cusparse_factor(const cusparse_handle& handle,
                                                       const factor_operands& operands,
                                                       const factor_case& what) {
    return std::make_unique<cusparse_factor>(handle, operands, what);
}

}  // namespace heron::tools
