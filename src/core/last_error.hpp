#pragma once
// What the latest error line said (log.hpp), apart from whether lines are written.

namespace heron::core {

// "function: reason" of this thread's latest error; "" before the first. It lives until the next one.
const char* last_error() noexcept;

}  // namespace heron::core
