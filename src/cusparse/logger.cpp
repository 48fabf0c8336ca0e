// The logging API. Levels and mask bits that do not exist are ignored, as in cuSPARSE.
#include "translate.hpp"
#include "core/log.hpp"
#include <algorithm>

using namespace heron;
using namespace heron::cusparse;

cusparseStatus_t cusparseLoggerSetCallback(cusparseLoggerCallback_t callback) {
    return guarded(__func__, [&] { core::set_log_callback(callback); });
}

cusparseStatus_t cusparseLoggerSetFile(FILE* file) {
    return guarded(__func__, [&] { core::set_log_file(file); });
}

cusparseStatus_t cusparseLoggerOpenFile(const char* path) {
    return guarded(__func__, [&] { core::open_log_file(path); });
}

cusparseStatus_t cusparseLoggerSetLevel(int level) {
    return guarded(__func__, [&] { core::set_log_level(std::min(level, 5)); });
}

cusparseStatus_t cusparseLoggerSetMask(int mask) {
    return guarded(__func__, [&] { core::set_log_mask(mask & 0x1f); });
}

cusparseStatus_t cusparseLoggerForceDisable(void) {
    return guarded(__func__, [] { core::disable_log_for_good(); });
}
