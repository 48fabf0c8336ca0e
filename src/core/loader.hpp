#pragma once
// Finds and loads the plug-ins. A plug-in is loaded at the first call that needs it and stays for the life of
// the process.
#include <heron/backend.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heron::core {

struct backend {
    std::string name;
    std::string path;     // file that was loaded; empty when none was found
    std::string version;  // of the plug-in
    std::string reason;   // why it cannot be used; empty when it can
    int device_count = 0;
    heron_backend table{};  // slots that the plug-in's (possibly older) table lacks are null

    bool usable() const { return reason.empty(); }
};

// cuda, opencl, host: the order in which a default is looked for.
const std::vector<std::string>& backend_names();

// The backend, loaded on first use; throws HERON_INVALID_VALUE when the name is unknown. Check usable().
const backend& find_backend(std::string_view name);

// What HERON_BACKEND names, else the first usable of cuda, opencl with a GPU, host. Throws
// HERON_NOT_INITIALIZED with the reasons when there is none.
const backend& default_backend();

}  // namespace heron::core
