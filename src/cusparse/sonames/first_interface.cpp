// The functions of CUDA 4 to 6.5 whose names came back with other arguments: scalars by value, and no number
// of elements. They are those of libcusparse.so.12 with the missing arguments found.
#define DISABLE_CUSPARSE_DEPRECATED
#include <heron/heron.h>
#include <cusparse.h>

namespace {

// While it lives, scalars are read from the host.
class host_scalars {
  public:
    explicit host_scalars(cusparseHandle_t handle) : handle_(handle) {
        if (cusparseGetPointerMode(handle_, &mode_) != CUSPARSE_STATUS_SUCCESS) handle_ = nullptr;
        if (handle_) cusparseSetPointerMode(handle_, CUSPARSE_POINTER_MODE_HOST);
    }
    ~host_scalars() {
        if (handle_) cusparseSetPointerMode(handle_, mode_);
    }
    host_scalars(const host_scalars&) = delete;
    host_scalars& operator=(const host_scalars&) = delete;

  private:
    cusparseHandle_t handle_;
    cusparsePointerMode_t mode_ = CUSPARSE_POINTER_MODE_HOST;
};

// The number of elements that offsets of so many rows count from base. Waits for the stream. 0 where the
// arguments are invalid: the function that gets it says so.
int counted(cusparseHandle_t handle, int rows, const int* offsets, int base) {
    if (!handle || !offsets || rows <= 0) return 0;
    auto* const h = reinterpret_cast<heron_handle>(handle);
    int end = base;
    if (heron_copy(h, &end, offsets + rows, sizeof end) != HERON_SUCCESS) return 0;
    return heron_synchronize(h) == HERON_SUCCESS ? end - base : 0;
}

int counted(cusparseHandle_t handle, int rows, const int* offsets, cusparseMatDescr_t descr) {
    return counted(handle, rows, offsets, static_cast<int>(cusparseGetMatIndexBase(descr)));
}

}  // namespace

// <cusparse.h> declares the same names with other arguments, so they have another one in this file.
#define HERON_TEXT(name) #name
#define HERON_TEXT_OF(name) HERON_TEXT(name)
#define HERON_JOINED(prefix, name) prefix##name
#define HERON_JOIN(prefix, name) HERON_JOINED(prefix, name)
#define HERON_BY_VALUE(name) HERON_JOIN(by_value_, HERON_FN(name))
#define HERON_CALLED(name) __asm__(HERON_TEXT_OF(HERON_FN(name)))

#define HERON_FAMILY "cusparse/sonames/first_interface.inc"
#include <cusparse/foreach_type.inc>
