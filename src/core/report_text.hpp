#pragma once
// What a report says, as text. Knows nothing of the library around it: the command line program, which adds
// up several processes' reports, compiles it too.
#include <cstdint>
#include <string>
#include <vector>

namespace heron::report {

// Times as fast, by a measured result.
struct measured_gain {
    double typical = 0, least = 0, most = 0;
    std::string device, result;
};

struct function_counts {
    std::string function;
    std::uint64_t calls = 0, failures = 0;
    double host_seconds = 0, longest_seconds = 0;
    double device_seconds = -1;  // below 0: not known
    double flops = 0, bytes = 0;
    std::uint64_t unprepared = 0;  // runs on one matrix without the analysis that makes them faster
    measured_gain gain;            // by that analysis
    std::int64_t unsorted = 0;     // a row of a matrix whose indices do not ascend, from 1; 0: none was seen
    std::string reason;            // of the first failure
};

struct process_report {
    std::string program, backend;
    std::int64_t process = 0;
    int rank = -1;  // of MPI; below 0: none
    double seconds = 0;
    double bandwidth = 0;  // bytes a second that the device's memory moves; 0: not known
    std::vector<function_counts> functions;
};

// Adds what other threads or processes counted of the same function.
void add(function_counts& sum, const function_counts& row);

// A table by function, most time first, and the hints.
std::string table_of(const process_report& report);
std::string json_of(const process_report& report);

// What could be better, a sentence each.
std::vector<std::string> hints_of(const std::vector<function_counts>& functions);

}  // namespace heron::report
