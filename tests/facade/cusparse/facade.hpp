#pragma once
// What the tests of the cuSPARSE facade share: owners of handles and descriptors, and the lines that the
// library logs.
#define DISABLE_CUSPARSE_DEPRECATED
#include "catch.hpp"
#include <cusparse.h>
#include <heron/heron.h>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace heron::test {

constexpr cusparseStatus_t ok = CUSPARSE_STATUS_SUCCESS;
constexpr cusparseStatus_t not_initialized = CUSPARSE_STATUS_NOT_INITIALIZED;
constexpr cusparseStatus_t invalid = CUSPARSE_STATUS_INVALID_VALUE;
constexpr cusparseStatus_t not_supported = CUSPARSE_STATUS_NOT_SUPPORTED;

// A handle or descriptor that destroys itself.
template <class Descr, auto destroy>
class owned {
  public:
    // create(&descr, arguments...) must succeed.
    template <class Create, class... Args>
    explicit owned(Create create, Args... args) {
        REQUIRE(create(&descr_, args...) == ok);
    }
    ~owned() { destroy(descr_); }
    owned(const owned&) = delete;
    owned& operator=(const owned&) = delete;
    operator Descr() const { return descr_; }

  private:
    Descr descr_ = nullptr;
};

using handle = owned<cusparseHandle_t, &cusparseDestroy>;
using dense_vector = owned<cusparseDnVecDescr_t, &cusparseDestroyDnVec>;
using const_dense_vector = owned<cusparseConstDnVecDescr_t, &cusparseDestroyDnVec>;
using sparse_vector = owned<cusparseSpVecDescr_t, &cusparseDestroySpVec>;
using const_sparse_vector = owned<cusparseConstSpVecDescr_t, &cusparseDestroySpVec>;
using dense_matrix = owned<cusparseDnMatDescr_t, &cusparseDestroyDnMat>;
using const_dense_matrix = owned<cusparseConstDnMatDescr_t, &cusparseDestroyDnMat>;
using sparse_matrix = owned<cusparseSpMatDescr_t, &cusparseDestroySpMat>;
using const_sparse_matrix = owned<cusparseConstSpMatDescr_t, &cusparseDestroySpMat>;

struct log_line {
    int level;
    std::string function, message;
};

// Collects what the library logs while it lives; one at a time.
class log_capture {
  public:
    // mask: the levels to collect, bit (level - 1).
    explicit log_capture(int mask = 1) {
        take();
        REQUIRE(heron_log_open_file("/dev/null") == HERON_SUCCESS);
        REQUIRE(heron_log_set_mask(mask) == HERON_SUCCESS);
        REQUIRE(heron_log_set_callback(&collect) == HERON_SUCCESS);
    }
    ~log_capture() {
        heron_log_set_callback(nullptr);
        heron_log_set_mask(0);
        heron_log_open_file(nullptr);
    }
    log_capture(const log_capture&) = delete;
    log_capture& operator=(const log_capture&) = delete;

    // The lines since the last call.
    std::vector<log_line> take() {
        const std::lock_guard lock(mutex());
        return std::exchange(lines(), {});
    }

    static void collect(int level, const char* function, const char* message) {
        const std::lock_guard lock(mutex());
        lines().push_back({level, function, message});
    }

  private:
    static std::mutex& mutex() {
        static std::mutex m;
        return m;
    }
    static std::vector<log_line>& lines() {
        static std::vector<log_line> l;
        return l;
    }
};

}  // namespace heron::test
