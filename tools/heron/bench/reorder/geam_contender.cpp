#include <algorithm>
#include <cmath>

#include "measure/bench_values.hpp"
#include "reorder_contender.hpp"

namespace heron::tools {
namespace {

using ints = std::vector<std::int32_t>;

constexpr double alpha = 0.75, beta = -1.5;

// B: A with its columns turned by one, so that the two share many places and not all.
csr_matrix neighbour_of(const csr_matrix& a) {
    coo_matrix turned;
    turned.rows = a.rows;
    turned.cols = a.cols;
    for (std::int64_t row = 0; row < a.rows; ++row)
        for (auto k = a.offsets[static_cast<std::size_t>(row)];
             k < a.offsets[static_cast<std::size_t>(row) + 1]; ++k) {
            turned.row.push_back(row);
            turned.col.push_back((a.columns[static_cast<std::size_t>(k)] + 1) % a.cols);
            turned.real.push_back(static_cast<double>(k % 1000) / 1000);
        }
    return to_csr(turned);
}

struct matrix_sum {
    ints offsets{0}, columns{};
    std::vector<double> values{};
};

matrix_sum sum_of(const csr_matrix& a, const csr_matrix& b) {
    matrix_sum sum;
    for (std::size_t row = 0; row < static_cast<std::size_t>(a.rows); ++row) {
        auto k = static_cast<std::size_t>(a.offsets[row]), l = static_cast<std::size_t>(b.offsets[row]);
        const auto a_end = static_cast<std::size_t>(a.offsets[row + 1]);
        const auto b_end = static_cast<std::size_t>(b.offsets[row + 1]);
        while (k < a_end || l < b_end) {
            const bool takes_a = k < a_end && (l == b_end || a.columns[k] <= b.columns[l]);
            const bool takes_b = l < b_end && (k == a_end || b.columns[l] <= a.columns[k]);
            sum.columns.push_back(static_cast<std::int32_t>(takes_a ? a.columns[k] : b.columns[l]));
            sum.values.push_back((takes_a ? alpha * a.real[k] : 0) + (takes_b ? beta * b.real[l] : 0));
            k += takes_a;
            l += takes_b;
        }
        sum.offsets.push_back(static_cast<std::int32_t>(sum.columns.size()));
    }
    return sum;
}

template <class T>
struct geam_functions_of;
template <>
struct geam_functions_of<float> {
    explicit geam_functions_of(const cusparse_library& l)
        : size(HERON_PEER(l, cusparseScsrgeam2_bufferSizeExt)), add(HERON_PEER(l, cusparseScsrgeam2)) {}
    decltype(&cusparseScsrgeam2_bufferSizeExt) size;
    decltype(&cusparseScsrgeam2) add;
};
template <>
struct geam_functions_of<double> {
    explicit geam_functions_of(const cusparse_library& l)
        : size(HERON_PEER(l, cusparseDcsrgeam2_bufferSizeExt)), add(HERON_PEER(l, cusparseDcsrgeam2)) {}
    decltype(&cusparseDcsrgeam2_bufferSizeExt) size;
    decltype(&cusparseDcsrgeam2) add;
};

template <class T>
class cusparse_geam : public reorder_contender {
  public:
    cusparse_geam(const contestant& who, const reorder_case& what)
        : library_(who.handle->library()),
          handle_(who.handle->get()),
          counts_only_(what.function == "csrgeam2Nnz"),
          functions_(library_),
          count_function_(HERON_PEER(library_, cusparseXcsrgeam2Nnz)),
          a_(*who.where, what.matrix),
          b_(*who.where, neighbour_of(what.matrix)),
          expected_(sum_of(what.matrix, neighbour_of(what.matrix))),
          offsets_(*who.where, expected_.offsets.size()),
          columns_(*who.where, expected_.columns.size()),
          values_(*who.where, expected_.columns.size()) {
        cusparseMatDescr_t made = nullptr;
        library_.check(HERON_PEER(library_, cusparseCreateMatDescr)(&made), "cusparseCreateMatDescr");
        descr_ = {made, HERON_PEER(library_, cusparseDestroyMatDescr)};
        library_.check(functions_.size(handle_, a_.m, a_.n, &alpha_, descr_.get(), a_.nnz, a_.values.get(),
                                       a_.offsets.get(), a_.columns.get(), &beta_, descr_.get(), b_.nnz,
                                       b_.values.get(), b_.offsets.get(), b_.columns.get(), descr_.get(),
                                       values_.get(), offsets_.get(), columns_.get(), &bytes_),
                       "cusparse<t>csrgeam2_bufferSizeExt");
        buffer_ = std::make_unique<device_array<std::byte>>(*who.where, bytes_);
        count();
    }

    void call() override {
        if (counts_only_) return count();
        library_.check(functions_.add(handle_, a_.m, a_.n, &alpha_, descr_.get(), a_.nnz, a_.values.get(),
                                      a_.offsets.get(), a_.columns.get(), &beta_, descr_.get(), b_.nnz,
                                      b_.values.get(), b_.offsets.get(), b_.columns.get(), descr_.get(),
                                      values_.get(), offsets_.get(), columns_.get(), buffer_->get()),
                       "cusparse<t>csrgeam2");
    }

    std::string check(record& row) override {
        row["work_bytes"] = bytes_;
        if (offsets_.download() != expected_.offsets) return "the offsets differ";
        if (nnz_ != expected_.offsets.back()) return "the number of elements differs";
        if (counts_only_) return {};
        if (columns_.download() != expected_.columns) return "the columns differ";
        const std::vector<T> values = values_.download();
        for (std::size_t k = 0; k < values.size(); ++k)
            if (!(std::abs(values[k] - expected_.values[k]) <=
                  (sizeof(T) == 4 ? 8e-5 : 8e-14) * std::max(1.0, std::abs(expected_.values[k]))))
                return fmt::format("value {} is {}, not {}", k, values[k], expected_.values[k]);
        return {};
    }

  private:
    struct operand {
        operand(const device& where, const csr_matrix& from)
            : m(static_cast<int>(from.rows)),
              n(static_cast<int>(from.cols)),
              nnz(static_cast<int>(from.nnz())),
              offsets(where, from.offsets_as<std::int32_t>()),
              columns(where, from.columns_as<std::int32_t>()),
              values(where, from.values_as<T>()) {}
        int m, n, nnz;
        device_array<std::int32_t> offsets, columns;
        device_array<T> values;
    };

    void count() {
        library_.check(count_function_(handle_, a_.m, a_.n, descr_.get(), a_.nnz, a_.offsets.get(),
                                       a_.columns.get(), descr_.get(), b_.nnz, b_.offsets.get(),
                                       b_.columns.get(), descr_.get(), offsets_.get(), &nnz_, buffer_->get()),
                       "cusparseXcsrgeam2Nnz");
    }

    const cusparse_library& library_;
    cusparseHandle_t handle_;
    bool counts_only_;
    geam_functions_of<T> functions_;
    decltype(&cusparseXcsrgeam2Nnz) count_function_;
    operand a_, b_;
    matrix_sum expected_;
    device_array<std::int32_t> offsets_, columns_;
    device_array<T> values_;
    std::unique_ptr<cusparseMatDescr, decltype(&cusparseDestroyMatDescr)> descr_{nullptr, nullptr};
    std::unique_ptr<device_array<std::byte>> buffer_;
    T alpha_ = static_cast<T>(alpha), beta_ = static_cast<T>(beta);
    std::size_t bytes_ = 0;
    int nnz_ = -1;
};

}  // namespace

std::unique_ptr<reorder_contender> make_geam(const contestant& who, const reorder_case& what) {
    if (what.type == "f32") return std::make_unique<cusparse_geam<float>>(who, what);
    return std::make_unique<cusparse_geam<double>>(who, what);
}

}  // namespace heron::tools
