#pragma once

#include <cstdint>
#include <vector>

#include "contestants.hpp"
#include "measure.hpp"

namespace heron::tools {

// Times the contenders on one kind of device, processors or the others, side by side. An entry has `who` and
// `contender`, which is NULL where there is nothing to time. call(entry) makes one call, use(entry, timing)
// takes what was measured.
template <class Entry, class Call, class Use>
void time_contenders(std::vector<Entry>& entries, bool processor, const measure_options& options, Call call,
                     Use use) {
    std::vector<timed_task> tasks;
    std::vector<Entry*> timed;
    for (Entry& each : entries) {
        if (!each.contender || each.who->where->is_processor() != processor) continue;
        timed.push_back(&each);
        tasks.push_back({[&each, call](std::int64_t calls) {
            return each.who->where->seconds([&] {
                for (std::int64_t i = 0; i < calls; ++i) call(each);
            });
        }});
    }
    const std::vector<timing> timings = measure_interleaved(tasks, options);
    for (std::size_t i = 0; i < timed.size(); ++i) use(*timed[i], timings[i]);
}

}  // namespace heron::tools
