// A library that is opened at run time and stays open.
#pragma once

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <string>

namespace heron::tools {

class shared_library {
  public:
    explicit shared_library(const std::string& file) : handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {}
    // The first of the names that the dynamic linker finds.
    template <std::size_t count>
    explicit shared_library(const std::array<const char*, count>& names) {
        for (const char* name : names)
            if (!handle_) handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    explicit operator bool() const { return handle_ != nullptr; }

    // Also in the libraries that this one needs.
    bool has(const std::string& name) const { return dlsym(handle_, name.c_str()) != nullptr; }

    template <class Function>
    Function* get(const std::string& name) const {
        void* const symbol = dlsym(handle_, name.c_str());
        if (!symbol) throw std::runtime_error(fmt::format("{} is missing", name));
        return reinterpret_cast<Function*>(symbol);
    }

  private:
    void* handle_ = nullptr;
};

}  // namespace heron::tools
