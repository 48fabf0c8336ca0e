// The same wrong argument of a call of the core is named as each function calls it. The tables are as facades
// have them; the last ones are those of the legacy triangular solve and product, which take matrices apart.
#include "core/guard.hpp"
#include "core/operations.hpp"
#include "facade/recorder.hpp"

using namespace heron;
using namespace heron::test;
using core::part;
using core::role;

namespace {

constexpr core::argument_name generic[] = {{role::a, "matA"},
                                           {role::x, "vecX"},
                                           {role::y, "vecY"},
                                           {role::handle, "handle"},
                                           {role::workspace, "externalBuffer"}};
constexpr core::argument_name spsv[] = {{role::b, "vecX"},
                                        {role::c, "vecY"},
                                        {role::analysis, "spsvDescr"},
                                        {role::analysis_phase, "cusparseSpSV_analysis"}};
constexpr core::argument_name legacy[] = {{role::handle, "handle"},
                                          {{role::a, part::rows}, "m"},
                                          {{role::a, part::nnz}, "nnz"},
                                          {{role::a, part::values}, "csrSortedValA"},
                                          {{role::a, part::offsets}, "csrSortedRowPtrA"},
                                          {{role::a, part::indices}, "csrSortedColIndA"}};
constexpr core::argument_name csrsv2[] = {{{role::b, part::values}, "f"},
                                          {{role::c, part::values}, "x"},
                                          {role::analysis, "info"},
                                          {role::analysis_phase, "cusparseDcsrsv2_analysis"}};

const core::public_function generic_solve{"cusparseSpSV_solve", spsv, generic};
const core::public_function legacy_solve{"cusparseDcsrsv2_solve", csrsv2, legacy};
const core::public_function native_call{"heron_call", {}, generic, "."};

heron_spmat matrix() {
    heron_spmat m{};
    m.format = HERON_FORMAT_CSR;
    m.rows = m.cols = 5;
    m.nnz = 4;
    m.offsets = offsets;
    m.indices = columns;
    m.values = values;
    m.type = HERON_R_64F;
    m.batch_count = 1;
    return m;
}

const heron_dnvec x{5, x_values, HERON_R_64F}, y{5, y_values, HERON_R_64F};
const double one = 1;

// The line that f leaves when it is called as this function.
template <class F>
std::string line_of(const core::public_function& function, F&& f) {
    log_capture log;
    CHECK(core::guard<cusparseStatus_t>(function, f) == invalid);
    const auto lines = log.take();
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].function == function.name);
    return lines[0].message;
}

}  // namespace

TEST_CASE("a matrix without values is named as the function has it") {
    heron_spmat a = matrix();
    a.values = nullptr;
    const auto solve = [&] {
        core::context c;
        const auto analysis = core::make_triangular_analysis();
        core::spsv(c, {HERON_PHASE_RUN}, *analysis, HERON_OP_NONE, &one, a, &x, &y, HERON_R_64F);
    };
    CHECK(line_of(generic_solve, solve) == "matA: values: is NULL");
    CHECK(line_of(legacy_solve, solve) == "csrSortedValA: is NULL");
    CHECK(line_of(native_call, solve) == "matA.values: is NULL");
}

TEST_CASE("an argument is mentioned by its name too") {
    const auto solve = [&] {
        core::context c;
        const auto analysis = core::make_triangular_analysis();
        core::spsv(c, {HERON_PHASE_RUN}, *analysis, HERON_OP_NONE, &one, matrix(), &x, &y, HERON_R_64F);
    };
    CHECK(line_of(generic_solve, solve) == "spsvDescr: cusparseSpSV_analysis has not been called with it");
    CHECK(line_of(legacy_solve, solve) == "info: cusparseDcsrsv2_analysis has not been called with it");
}

TEST_CASE("numbers stand in names, and what has no name is left out") {
    constexpr core::argument_name names[] = {{role::factors, "factors[#]"},
                                             {{role::factors, part::ld}, "ld of #"}};
    const core::public_function f{"f", names, {}};
    const core::argument second{role::factors, part::whole, 2};
    CHECK(f.name_of(second) == "factors[2]");
    CHECK(f.name_of(second[part::ld]) == "ld of 2");
    CHECK(f.name_of(second[part::stride]) == "factors[2]: stride");
    CHECK(line_of(f, [] { core::invalid(role::algorithm, "is none"); }) == "is none");
}

// What a facade of typed functions without descriptors does: views from the arguments, and one call.
TEST_CASE("a view of a caller's arguments is checked by its parts") {
    heron_spmat a = matrix();
    const auto multiply = [&] {
        core::context c;
        core::spmv(c, {HERON_PHASE_RUN, nullptr, buffer}, HERON_OP_NONE, &one, core::checked(a, role::a), x,
                   &one, y, HERON_R_64F);
    };
    const core::public_function csrmv{"cusparseDcsrmv", {}, legacy};
    CHECK(core::guard<cusparseStatus_t>(csrmv, multiply) == ok);
    CHECK(arguments<heron_spmv_args>("spmv", HERON_PHASE_RUN, buffer).a.values == values);
    a.rows = -1;
    CHECK(line_of(csrmv, multiply) == "m: -1 is negative");
    a.rows = 5;
    a.offsets = reinterpret_cast<char*>(offsets) + 1;
    CHECK(line_of(csrmv, multiply) == "csrSortedRowPtrA: is not aligned to 4 bytes");
}

TEST_CASE("a NULL handle has the status that the interface gives it") {
    const auto status = [](heron_status missing) {
        return core::guard<heron_status>(legacy_solve, [&] { core::context::from(nullptr, missing); });
    };
    CHECK(status(HERON_INVALID_VALUE) == HERON_INVALID_VALUE);
    CHECK(status(HERON_NOT_INITIALIZED) == HERON_NOT_INITIALIZED);
}
