#pragma once
// What the descriptors of SpSV and SpSM point to: the analysis of one triangular matrix, and where its
// workspace is.
#include <heron/backend.h>

namespace heron::core {

// What the public API calls the function family and its operands, for messages.
struct solver_names {
    const char* family;
    const char* descriptor;
    const char* right_side;
    const char* solution;
};

struct triangular_solver {
    explicit triangular_solver(const solver_names& n) : names(n) {}
    ~triangular_solver() { forget(); }
    triangular_solver(const triangular_solver&) = delete;
    triangular_solver& operator=(const triangular_solver&) = delete;

    // Drops the analysis.
    void forget() {
        if (plan) backend->plan_destroy(plan);
        plan = nullptr;
        is_analysed = false;
        values_stamp = 0;
        diagonal_stamp = 0;
    }

    solver_names names;

    // Left by SIZE.
    bool is_sized = false;
    size_t size = 0;
    int64_t staged_columns = 0;

    // Left by ANALYSE. Of the arguments only those that the analysis depends on count.
    bool is_analysed = false;
    const heron_backend* backend = nullptr;
    int device = 0;
    heron_trisolve_args analysed{};
    void* memory = nullptr;
    heron_plan* plan = nullptr;

    // Copies behind the plug-in's workspace, and when an update made them, in next_stamp's time; 0: there is
    // none. The latest change counts, be it one of these or one of the matrix.
    void* own_values = nullptr;
    void* own_diagonal = nullptr;
    uint64_t values_stamp = 0;
    uint64_t diagonal_stamp = 0;
};

}  // namespace heron::core
