#include <heron/heron.h>

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "commands.hpp"
#include "measure/device.hpp"
#include "measure/device_record.hpp"
#include "measure/report.hpp"

namespace heron::tools {
namespace {

// The backend and the device number that a program gets which does not choose.
record default_record() {
    record result;
    const char* const wanted = std::getenv("HERON_BACKEND");
    if (wanted && *wanted) result["HERON_BACKEND"] = wanted;
    heron_handle handle = nullptr;
    try {
        check(heron_create(&handle), "heron_create");
        const char* backend = nullptr;
        int number = 0;
        check(heron_get_backend(handle, &backend, &number), "heron_get_backend");
        result["backend"] = backend;
        result["device"] = number;
        heron_destroy(handle);
    } catch (const heron_error& error) {
        result["backend"] = nullptr;
        result["reason"] = error.what();
    }
    return result;
}

record devices_record(const std::string& backend) {
    record result = record::array();
    int count = 0;
    check(heron_device_count(backend.c_str(), &count), "heron_device_count");
    for (int number = 0; number < count; ++number) {
        heron_device_info info{};
        check(heron_device_query(backend.c_str(), number, &info), "heron_device_query");
        result.push_back(device_record(info));
    }
    return result;
}

record backend_record(const backend_state& backend) {
    record result;
    result["name"] = backend.name;
    result["available"] = backend.available;
    if (!backend.available) result["reason"] = backend.reason;
    result["plugin"] = backend.path.empty() ? record() : record(backend.path);
    result["version"] = backend.version.empty() ? record() : record(backend.version);
    result["devices"] = backend.available ? devices_record(backend.name) : record::array();
    return result;
}

record info_record() {
    record result;
    result["version"] = library_version();
    result["default"] = default_record();
    result["backends"] = record::array();
    for (const backend_state& backend : list_backends())
        result["backends"].push_back(backend_record(backend));
    return result;
}

std::string line(const std::string& indent, const std::string& title, const std::string& text) {
    return text.empty() ? "" : fmt::format("{}{:<15}{}\n", indent, title, text);
}

std::string text_of(const record& value) {
    if (value.is_null()) return "";
    if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
    return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string size_or_unknown(const record& bytes) {
    return bytes.get<std::uint64_t>() == 0 ? "unknown" : size_text(bytes.get<std::uint64_t>());
}

std::string device_text(std::size_t number, const record& device) {
    const std::string indent = "    ";
    std::string text = fmt::format("  device {}: {}\n", number, text_of(device["name"]));
    text += line(indent, "kind", text_of(device["kind"]));
    text += line(indent, "vendor", text_of(device["vendor"]));
    text += line(indent, "driver", text_of(device["driver"]));
    text += line(indent, "ISA level", text_of(device["isa"]));
    text += line(indent, "memory",
                 fmt::format("{}, free {}", size_or_unknown(device["memory_bytes"]),
                             size_or_unknown(device["memory_free_bytes"])));
    text += line(indent, "cache", size_or_unknown(device["cache_bytes"]));
    text += line(indent, "compute units", text_of(device["compute_units"]));
    text += line(indent, "fp64", text_of(device["fp64"]));
    return text;
}

std::string backend_text(const record& backend) {
    const bool available = backend["available"].get<bool>();
    std::string text =
        fmt::format("\n{}: {}\n", text_of(backend["name"]), available ? "available" : "not available");
    if (!available) text += line("  ", "reason", text_of(backend["reason"]));
    text += line("  ", "plug-in", text_of(backend["plugin"]));
    text += line("  ", "version", text_of(backend["version"]));
    std::size_t number = 0;
    for (const record& device : backend["devices"]) text += device_text(number++, device);
    return text;
}

std::string default_text(const record& chosen) {
    if (chosen["backend"].is_null()) return fmt::format("none ({})", text_of(chosen["reason"]));
    return fmt::format("{}, device {}{}", text_of(chosen["backend"]), text_of(chosen["device"]),
                       chosen.contains("HERON_BACKEND") ? " (by HERON_BACKEND)" : "");
}

std::string info_text(const record& info) {
    std::string text = fmt::format("Heron {}\n", text_of(info["version"]));
    text += line("", "default", default_text(info["default"]));
    for (const record& backend : info["backends"]) text += backend_text(backend);
    return text;
}

}  // namespace

void add_info_command(CLI::App& app) {
    const auto as_json = std::make_shared<bool>(false);
    CLI::App* command =
        app.add_subcommand("info", "List the backends, their devices, and why one cannot be used");
    command->add_flag("--json", *as_json, "Write JSON");
    command->callback([as_json] {
        const reason_log reasons;
        const record info = info_record();
        write_text("", *as_json ? info.dump(2) + "\n" : info_text(info));
    });
}

}  // namespace heron::tools
