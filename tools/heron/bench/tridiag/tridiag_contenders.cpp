#include "tridiag_contenders.hpp"

#include <algorithm>
#include <array>

#include "peers/shared_library.hpp"

namespace heron::tools {
namespace {

enum array { second_lower, lower, diagonal, upper, second_upper, right_sides };

// The functions of all types take the same arguments.
using any_function = void();
using gtsv_size = cusparseStatus_t(cusparseHandle_t, int, int, const void*, const void*, const void*,
                                   const void*, int, std::size_t*);
using gtsv_run = cusparseStatus_t(cusparseHandle_t, int, int, const void*, const void*, const void*, void*,
                                  int, void*);
using batch_size = cusparseStatus_t(cusparseHandle_t, int, const void*, const void*, const void*, const void*,
                                    int, int, std::size_t*);
using batch_run = cusparseStatus_t(cusparseHandle_t, int, const void*, const void*, const void*, void*, int,
                                   int, void*);
using gtsvi_size = cusparseStatus_t(cusparseHandle_t, int, int, const void*, const void*, const void*,
                                    const void*, int, std::size_t*);
using gtsvi_run = cusparseStatus_t(cusparseHandle_t, int, int, void*, void*, void*, void*, int, void*);
using gpsvi_size = cusparseStatus_t(cusparseHandle_t, int, int, const void*, const void*, const void*,
                                    const void*, const void*, const void*, int, std::size_t*);
using gpsvi_run = cusparseStatus_t(cusparseHandle_t, int, int, void*, void*, void*, void*, void*, void*, int,
                                   void*);

char letter_of(scalar_type type) {
    switch (type) {
        case scalar_type::f32: return 'S';
        case scalar_type::f64: return 'D';
        case scalar_type::c32: return 'C';
        default: return 'Z';
    }
}

class cusparse_tridiag : public tridiag_contender {
  public:
    cusparse_tridiag(const cusparse_handle& handle, const tridiag_operands& operands,
                     const tridiag_case& what)
        : library_(handle.library()),
          handle_(handle.get()),
          o_(operands),
          algorithm_(what.function.algorithm),
          m_(static_cast<int>(what.m)),
          count_(static_cast<int>(what.count)),
          name_(fmt::format("cusparse{}{}", letter_of(what.type), what.function.symbol)),
          size_(library_.function<any_function*>((name_ + "_bufferSizeExt").c_str())),
          run_(library_.function<any_function*>(name_.c_str())) {
        if (what.function.is_pentadiagonal)
            kind_ = kind::pentadiagonal;
        else if (what.function.layout == tridiag_layout::interleaved)
            kind_ = kind::interleaved;
        else if (what.function.layout == tridiag_layout::strided)
            kind_ = kind::strided;
        library_.check(ask_size(), name_.c_str());
        buffer_ = o_.where().allocate(std::max<std::size_t>(buffer_bytes, 128));
    }

    void solve() override { library_.check(run(), name_.c_str()); }

  private:
    enum class kind { plain, strided, interleaved, pentadiagonal };

    cusparseStatus_t ask_size() {
        void *const l = o_.at(lower), *const d = o_.at(diagonal), *const u = o_.at(upper),
                    *const x = o_.at(right_sides);
        switch (kind_) {
            case kind::plain: return as<gtsv_size>(size_)(handle_, m_, count_, l, d, u, x, m_, &buffer_bytes);
            case kind::strided:
                return as<batch_size>(size_)(handle_, m_, l, d, u, x, count_, m_, &buffer_bytes);
            case kind::interleaved:
                return as<gtsvi_size>(size_)(handle_, algorithm_, m_, l, d, u, x, count_, &buffer_bytes);
            default: break;
        }
        return as<gpsvi_size>(size_)(handle_, algorithm_, m_, o_.at(second_lower), l, d, u,
                                     o_.at(second_upper), x, count_, &buffer_bytes);
    }

    cusparseStatus_t run() {
        void *const l = o_.at(lower), *const d = o_.at(diagonal), *const u = o_.at(upper),
                    *const x = o_.at(right_sides), *const buffer = buffer_.get();
        switch (kind_) {
            case kind::plain: return as<gtsv_run>(run_)(handle_, m_, count_, l, d, u, x, m_, buffer);
            case kind::strided: return as<batch_run>(run_)(handle_, m_, l, d, u, x, count_, m_, buffer);
            case kind::interleaved:
                return as<gtsvi_run>(run_)(handle_, algorithm_, m_, l, d, u, x, count_, buffer);
            default: break;
        }
        return as<gpsvi_run>(run_)(handle_, algorithm_, m_, o_.at(second_lower), l, d, u, o_.at(second_upper),
                                   x, count_, buffer);
    }

    template <class F>
    static F* as(any_function* f) {
        return reinterpret_cast<F*>(f);
    }

    const cusparse_library& library_;
    cusparseHandle_t handle_;
    const tridiag_operands& o_;
    int algorithm_, m_, count_;
    std::string name_;
    any_function *size_, *run_;
    kind kind_ = kind::plain;
    device_buffer buffer_;
};

class lapack_tridiag : public tridiag_contender {
  public:
    lapack_tridiag(const shared_library& library, const tridiag_operands& operands, const tridiag_case& what)
        : gtsv_(
              library.get<gtsv>(fmt::format("{}gtsv_", static_cast<char>(letter_of(what.type) + 'a' - 'A')))),
          o_(operands),
          m_(static_cast<int>(what.m)),
          n_(static_cast<int>(what.count)),
          element_(traits_of(what.type).size) {}

    void solve() override {
        int info = 0;
        gtsv_(&m_, &n_, static_cast<std::byte*>(o_.at(lower)) + element_, o_.at(diagonal), o_.at(upper),
              o_.at(right_sides), &m_, &info);
        if (info != 0) throw std::runtime_error(fmt::format("gtsv: info {}", info));
    }

  private:
    using gtsv = void(const int*, const int*, void*, void*, void*, void*, const int*, int*);
    gtsv* gtsv_;
    const tridiag_operands& o_;
    int m_, n_;
    std::size_t element_;
};

}  // namespace

const std::vector<tridiag_function>& tridiag_functions() {
    static const std::vector<tridiag_function> all = {
        {"gtsv2", "gtsv2", tridiag_layout::one_matrix},
        {"gtsv2_nopivot", "gtsv2_nopivot", tridiag_layout::one_matrix},
        {"gtsv2StridedBatch", "gtsv2StridedBatch", tridiag_layout::strided},
        {"gtsvInterleavedBatch:0", "gtsvInterleavedBatch", tridiag_layout::interleaved, 0},
        {"gtsvInterleavedBatch:1", "gtsvInterleavedBatch", tridiag_layout::interleaved, 1},
        {"gtsvInterleavedBatch:2", "gtsvInterleavedBatch", tridiag_layout::interleaved, 2},
        {"gpsvInterleavedBatch", "gpsvInterleavedBatch", tridiag_layout::interleaved, 0, true},
    };
    return all;
}

tridiag_operands::tridiag_operands(const device& where, const std::vector<std::vector<std::byte>>& arrays)
    : where_(where), arrays_(arrays) {
    for (const auto& bytes : arrays) room_ = std::max(room_, (bytes.size() + 255) / 256 * 256);
    memory_ = where.allocate(room_ * arrays.size());
    restore();
}

void tridiag_operands::restore() const {
    for (std::size_t i = 0; i < arrays_.size(); ++i)
        if (!arrays_[i].empty()) where_.copy(at(static_cast<int>(i)), arrays_[i].data(), arrays_[i].size());
    where_.synchronize();
}

std::unique_ptr<tridiag_contender> make_cusparse_tridiag(const cusparse_handle& handle,
                                                         const tridiag_operands& operands,
                                                         const tridiag_case& what) {
    return std::make_unique<cusparse_tridiag>(handle, operands, what);
}

std::unique_ptr<tridiag_contender> make_lapack_tridiag(const tridiag_operands& operands,
                                                       const tridiag_case& what) {
    static const shared_library library(
        std::array{"libopenblas.so.0", "libopenblas.so", "liblapack.so.3", "liblapack.so"});
    if (!library || !library.has("dgtsv_") || what.function.name != "gtsv2") return nullptr;
    return std::make_unique<lapack_tridiag>(library, operands, what);
}

}  // namespace heron::tools
