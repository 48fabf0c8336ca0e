// How many commands a call of a library gives to a CUDA device.
#pragma once

#include <functional>
#include <vector>

#include "contestants.hpp"
#include "measure.hpp"
#include "report.hpp"

namespace heron::tools {

// row["launches"] := kernels, copies and fills of one call, by capturing it into a graph of the driver.
// Nothing for other devices, where there is no driver, and for calls that cannot be captured.
void add_launches(record& row, const contestant& who, const std::function<void()>& call);

// The same for the contenders of entries that have one, where the options ask for it. call(entry) makes one
// call.
template <class Entry, class Call>
void count_launches(std::vector<Entry>& entries, const measure_options& options, Call call) {
    if (!options.counts_launches) return;
    for (Entry& each : entries)
        if (each.contender) add_launches(each.row, *each.who, [&] { call(each); });
}

}  // namespace heron::tools
