#include "state.hpp"
#include "core/error.hpp"
#include "core/loader.hpp"
#include <atomic>
#include <mutex>
#include <set>

namespace heron::clblas {
namespace {

std::atomic<bool> ready{false};

struct image_list {
    std::mutex mutex;
    std::set<unsigned long long> ids;
    unsigned long long last = 0;
};

image_list& images() {
    static image_list& list = *new image_list;
    return list;
}

}  // namespace

// A plug-in without a device of its own choice still serves the devices that callers have made queues on.
void set_up() {
    const core::backend& b = core::find_backend("opencl");
    if (!b.table.queue_adopt) throw core::error(HERON_NOT_INITIALIZED, b.name.c_str(), b.reason);
    ready = true;
}

void tear_down() {
    if (!ready.exchange(false)) return;
    const core::backend& b = core::find_backend("opencl");
    if (b.table.adoptions_forget) b.table.adoptions_forget();
    const std::lock_guard lock(images().mutex);
    images().ids.clear();
}

bool is_set_up() { return ready; }

unsigned long long add_image() {
    const std::lock_guard lock(images().mutex);
    images().ids.insert(++images().last);
    return images().last;
}

bool remove_image(unsigned long long id) {
    const std::lock_guard lock(images().mutex);
    return images().ids.erase(id) > 0;
}

}  // namespace heron::clblas
