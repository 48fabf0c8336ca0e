// Products with operators of the caller's: named semirings everywhere, source text and callbacks where there
// are any.
#include "spmm_op_problem.hpp"

using namespace heron::test;

namespace {

constexpr heron_semiring all_semirings[] = {HERON_PLUS_TIMES, HERON_MIN_PLUS, HERON_MAX_TIMES, HERON_OR_AND};
constexpr operator_types f32{CUDA_R_32F, CUDA_R_32F, CUDA_R_32F};
constexpr operator_types c32{CUDA_C_32F, CUDA_C_32F, CUDA_C_32F};

sparse_arrays csr_of(const entries& pattern, const index_choice& index, cudaDataType type) {
    random_source random(4);
    const layout csr{"CSR", CUSPARSE_FORMAT_CSR, true};
    return arrange(with_values(pattern, type, random), csr, index, type, random);
}

bool has_order(cudaDataType compute) { return !is_complex(compute); }

heron_operators named(heron_semiring semiring, heron_epilogue epilogue) {
    heron_operators o{};
    o.semiring = semiring;
    o.epilogue_kind = epilogue;
    return o;
}

bool takes_source() { return backend_name() != "host"; }

// An infinity minus nothing: difference() cannot subtract infinities, so rows that store nothing get a
// number.
heron_operators with_identity(heron_operators o, const void* identity) {
    o.identity = identity;
    return o;
}

void (*no_callback)(void*, const void*, const void*, void*) = nullptr;

}  // namespace

TEST_CASE("every named semiring, type, layout, operation and index type") {
    std::size_t turn = 0;
    alignas(16) unsigned char seven[16] = {};
    for (const operator_types& types : operator_rows()) {
        const std::vector<unsigned char> bytes = encode(types.compute, {7.0});
        std::memcpy(seven, bytes.data(), bytes.size());
        for (const heron_semiring semiring : all_semirings) {
            const bool ordered = semiring == HERON_MIN_PLUS || semiring == HERON_MAX_TIMES;
            if (ordered && !has_order(types.compute)) continue;
            for (const operand_layout& l : operand_layouts())
                for (const heron_epilogue epilogue : {HERON_EPILOGUE_STORE, HERON_EPILOGUE_ADD}) {
                    const index_choice& index = index_choices()[turn++ % index_choices().size()];
                    spmm_op_problem problem(csr_of(irregular_pattern(), index, types.ab), types,
                                            static_cast<std::int64_t>(1 + turn % 7), l, turn % 3);
                    oracle_operators oracle = named_operators(semiring, epilogue, types.compute);
                    oracle.identity = 7.0;
                    problem.run(with_identity(named(semiring, epilogue), seven), oracle);
                }
        }
    }
}

TEST_CASE("the sum of a row that stores nothing is the semiring's identity") {
    const entries empty{4, 3, {}};
    for (const operator_types& types : {f32, operator_types{CUDA_R_8I, CUDA_R_32I, CUDA_R_32I}})
        for (const heron_semiring semiring : all_semirings)
            for (const bool absent : {false, true}) {
                spmm_op_problem problem(csr_of(empty, {}, types.ab), types, 5, {});
                heron_spmm_op_desc desc = problem.desc();
                desc.operators = named(semiring, HERON_EPILOGUE_STORE);
                if (absent) desc.a.offsets = desc.a.indices = desc.a.values = nullptr;
                typed_array c(types.c, std::vector<number>(20, poison(types.c)));
                desc.c.values = c.data();
                desc.c.ld = 5;
                desc.c.order = HERON_ORDER_ROW;
                expect(heron_spmm_op(native(), &desc, nullptr, 0));
                expect(heron_synchronize(native()));
                const number identity =
                    named_operators(semiring, HERON_EPILOGUE_STORE, types.compute).identity;
                CHECK((c.numbers() == std::vector<number>(20, identity)));
            }
}

TEST_CASE("every shape of A") {
    random_source random(6);
    const float zero = 0;
    for (const named_pattern& pattern : small_patterns())
        for (const heron_semiring semiring : {HERON_PLUS_TIMES, HERON_MIN_PLUS})
            for (const std::int64_t columns : {0, 1, 33}) {
                INFO(pattern.name);
                const auto layouts = operand_layouts();
                spmm_op_problem problem(csr_of(pattern.matrix, {}, CUDA_R_32F), f32, columns,
                                        layouts[static_cast<std::size_t>(random.below(8))]);
                oracle_operators oracle = named_operators(semiring, HERON_EPILOGUE_ADD, CUDA_R_32F);
                oracle.identity = 0.0;
                problem.run(with_identity(named(semiring, HERON_EPILOGUE_ADD), &zero), oracle);
            }
}

namespace {

void add_f32(void* context, const void* a, const void* b, void* result) {
    CHECK(context == &no_callback);
    *static_cast<float*>(result) = *static_cast<const float*>(a) + *static_cast<const float*>(b);
}
void difference_f32(void*, const void* a, const void* b, void* result) {
    *static_cast<float*>(result) = *static_cast<const float*>(a) - *static_cast<const float*>(b);
}
void weighted_f32(void*, const void* sum, const void* c, void* result) {
    *static_cast<float*>(result) = *static_cast<const float*>(sum) + 2 * *static_cast<const float*>(c);
}

// Sum of a - b, and twice C on top.
oracle_operators sum_of_differences(heron_epilogue epilogue) {
    oracle_operators o;
    o.add = [](number a, number b) { return a + b; };
    o.mul = [](number a, number b) { return a - b; };
    o.epilogue = o.add;
    if (epilogue == HERON_EPILOGUE_CUSTOM) o.epilogue = [](number sum, number c) { return sum + 2.0 * c; };
    o.reads_c = epilogue != HERON_EPILOGUE_STORE;
    return o;
}

heron_operators callbacks(heron_epilogue epilogue) {
    heron_operators o{};
    o.form = HERON_OPERATORS_CALLBACK;
    o.epilogue_kind = epilogue;
    o.add = add_f32;
    o.mul = difference_f32;
    o.epilogue = weighted_f32;
    o.context = &no_callback;
    return o;
}

heron_operators source_text(heron_epilogue epilogue) {
    heron_operators o{};
    o.form = HERON_OPERATORS_SOURCE;
    o.epilogue_kind = epilogue;
    o.add_source = "HERON_OPERATOR heron_value add_op(heron_value a, heron_value b) { return a + b; }";
    o.mul_source = "HERON_OPERATOR heron_value mul_op(heron_value a, heron_value b) { return a - b; }";
    o.epilogue_source =
        "HERON_OPERATOR heron_value epilogue(heron_value s, heron_value c) { return s + 2 * c; }";
    return o;
}

constexpr heron_epilogue all_epilogues[] = {HERON_EPILOGUE_STORE, HERON_EPILOGUE_ADD, HERON_EPILOGUE_CUSTOM};

}  // namespace

TEST_CASE("operators as callbacks") {
    for (const heron_epilogue epilogue : all_epilogues)
        for (const operand_layout& l : operand_layouts()) {
            spmm_op_problem problem(csr_of(irregular_pattern(), {}, CUDA_R_32F), f32, 3, l);
            if (backend_name() == "host") {
                problem.run(callbacks(epilogue), sum_of_differences(epilogue));
                continue;
            }
            const log_capture log;
            expect(problem.try_run(callbacks(epilogue)), HERON_NOT_SUPPORTED);
            CHECK(log.contains("callbacks"));
        }
}

TEST_CASE("operators as source text") {
    for (const heron_epilogue epilogue : all_epilogues)
        for (const operand_layout& l : operand_layouts()) {
            spmm_op_problem problem(csr_of(irregular_pattern(), {}, CUDA_R_32F), f32, 3, l);
            if (takes_source()) {
                problem.run(source_text(epilogue), sum_of_differences(epilogue));
                continue;
            }
            const log_capture log;
            expect(problem.try_run(source_text(epilogue)), HERON_NOT_SUPPORTED);
            CHECK(log.contains("source text"));
        }
}

TEST_CASE("two texts of one shape are two operators, and complex numbers have x and y") {
    if (!takes_source()) return;
    spmm_op_problem real(csr_of(irregular_pattern(), {}, CUDA_R_32F), f32, 4, {});
    heron_operators o = source_text(HERON_EPILOGUE_STORE);
    oracle_operators oracle = sum_of_differences(HERON_EPILOGUE_STORE);
    real.run(o, oracle);
    o.mul_source = "HERON_OPERATOR heron_value mul_op(heron_value a, heron_value b) { return b - a; }";
    oracle.mul = [](number a, number b) { return b - a; };
    real.run(o, oracle);
    spmm_op_problem complex(csr_of(irregular_pattern(), {}, CUDA_C_32F), c32, 4, {});
    o.add_source =
        "HERON_OPERATOR heron_value add_op(heron_value a, heron_value b) { a.x += b.x; a.y += b.y; return a; "
        "}";
    o.mul_source = "HERON_OPERATOR heron_value mul_op(heron_value a, heron_value b) { a.x = b.y; return a; }";
    oracle.mul = [](number a, number b) { return number{b.imag(), a.imag()}; };
    complex.run(o, oracle);
}

TEST_CASE("source text that does not compile is an invalid value, with the compiler's words in the log") {
    if (!takes_source()) return;
    spmm_op_problem problem(csr_of(irregular_pattern(), {}, CUDA_R_32F), f32, 4, {});
    heron_operators o = source_text(HERON_EPILOGUE_STORE);
    o.mul_source = "HERON_OPERATOR heron_value mul_op(heron_value a, heron_value b) { return no_such_name; }";
    const log_capture log;
    const std::vector<unsigned char> before = problem.c_bytes();
    expect(problem.try_run(o), HERON_INVALID_VALUE);
    CHECK(log.contains("no_such_name"));
    CHECK((problem.c_bytes() == before));
}

TEST_CASE("bad descriptors are refused, and nothing is written") {
    spmm_op_problem problem(csr_of(irregular_pattern(), {}, CUDA_R_32F), f32, 4, {});
    const auto refused = [&](heron_status expected, const std::string& argument, auto&& spoil) {
        INFO(argument);
        heron_spmm_op_desc desc = problem.desc();
        spoil(desc);
        const std::vector<unsigned char> before = problem.c_bytes();
        const log_capture log;
        expect(heron_spmm_op(native(), &desc, nullptr, 0), expected);
        CHECK(log.contains("heron_spmm_op: " + argument));
        CHECK((problem.c_bytes() == before));
    };
    using desc = heron_spmm_op_desc;
    refused(HERON_INVALID_VALUE, "b", [](desc& d) { d.b.rows += 1, d.b.ld += 1; });
    refused(HERON_INVALID_VALUE, "c", [](desc& d) { d.c.cols -= 1; });
    refused(HERON_INVALID_VALUE, "b", [](desc& d) { d.b.ld = 1; });
    refused(HERON_INVALID_VALUE, "a", [](desc& d) { d.a.rows = -1; });
    refused(HERON_INVALID_VALUE, "a", [](desc& d) { d.a.indices = nullptr; });
    refused(HERON_INVALID_VALUE, "b", [](desc& d) { d.b.values = nullptr; });
    refused(HERON_INVALID_VALUE, "c", [](desc& d) { d.c.values = nullptr; });
    refused(HERON_INVALID_VALUE, "a.type", [](desc& d) { d.a.type = static_cast<heron_type>(10); });
    refused(HERON_INVALID_VALUE, "c", [](desc& d) { d.c.order = static_cast<heron_order>(2); });
    refused(HERON_INVALID_VALUE, "a.base", [](desc& d) { d.a.base = 2; });
    refused(HERON_INVALID_VALUE, "op_b", [](desc& d) { d.op_b = static_cast<heron_operation>(7); });
    refused(HERON_NOT_SUPPORTED, "compute_type", [](desc& d) { d.compute_type = HERON_R_64F; });
    refused(HERON_NOT_SUPPORTED, "compute_type", [](desc& d) { d.b.type = HERON_R_32I; });
    refused(HERON_INVALID_VALUE, "operators.form",
            [](desc& d) { d.operators.form = HERON_OPERATORS_LTO_IR; });
    refused(HERON_INVALID_VALUE, "operators.semiring",
            [](desc& d) { d.operators.semiring = static_cast<heron_semiring>(4); });
    refused(HERON_INVALID_VALUE, "operators.epilogue_kind",
            [](desc& d) { d.operators.epilogue_kind = HERON_EPILOGUE_CUSTOM; });
    refused(HERON_INVALID_VALUE, "operators.mul_source", [](desc& d) {
        d.operators = source_text(HERON_EPILOGUE_ADD);
        d.operators.mul_source = "";
    });
    refused(HERON_INVALID_VALUE, "operators.epilogue", [](desc& d) {
        d.operators = callbacks(HERON_EPILOGUE_CUSTOM);
        d.operators.epilogue = nullptr;
    });
    size_t bytes = 0;
    expect(heron_spmm_op(nullptr, &problem.desc(), nullptr, 0), HERON_NOT_INITIALIZED);
    expect(heron_spmm_op(native(), nullptr, nullptr, 0), HERON_NOT_INITIALIZED);
    expect(heron_spmm_op_workspace(native(), nullptr, &bytes), HERON_NOT_INITIALIZED);
    expect(heron_spmm_op_workspace(native(), &problem.desc(), nullptr), HERON_INVALID_VALUE);
}

TEST_CASE("min and max are of real numbers") {
    spmm_op_problem problem(csr_of(irregular_pattern(), {}, CUDA_C_32F), c32, 4, {});
    expect(problem.try_run(named(HERON_MIN_PLUS, HERON_EPILOGUE_STORE)), HERON_NOT_SUPPORTED);
    expect(problem.try_run(named(HERON_MAX_TIMES, HERON_EPILOGUE_STORE)), HERON_NOT_SUPPORTED);
}
