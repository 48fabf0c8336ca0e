// The one table of what functions that Heron has do not do.
#pragma once

#include <string>
#include <string_view>

#include "api.hpp"

namespace heron::tools {

enum class support { provided, limited, not_supported, missing };

const char* name_of(support s);

struct limit {
    support state = support::provided;
    std::string text;
};

// Of a function that Heron's libraries have, on a backend.
limit limit_of(std::string_view function, backend_number backend);

}  // namespace heron::tools
