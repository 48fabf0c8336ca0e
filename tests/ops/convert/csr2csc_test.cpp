// Csr2cscEx2 and the functions before it, csr2coo and coo2csr. Elements are moved and never computed with, so
// everything is compared bit for bit.
#include "ops/convert/format_matrices.hpp"
#include "ops/typed_csr.hpp"

#include <numeric>

using namespace heron::test;

namespace {

constexpr cudaDataType all_types[] = {CUDA_R_8I,  CUDA_R_16F,  CUDA_R_16BF, CUDA_R_32F, CUDA_R_64F,
                                      CUDA_C_16F, CUDA_C_16BF, CUDA_C_32F,  CUDA_C_64F};

std::vector<named_pattern> patterns(random_source& random) {
    std::vector<named_pattern> all = small_patterns();
    all.push_back({"large", random_pattern(1200, 900, 60, random)});
    // Many passes of a sort by columns, and runs of empty ones.
    entries wide{3, 100000, {}};
    for (int k = 0; k < 500; ++k) wide.list.push_back({random.below(3), random.below(100000), 1.0});
    all.push_back({"very wide", wide});
    return all;
}

std::size_t workspace_bytes(const block_arrays& a, cudaDataType type, cusparseAction_t action,
                            cusparseCsr2CscAlg_t alg) {
    std::size_t bytes = 0;
    const auto base = static_cast<cusparseIndexBase_t>(a.layout.base);
    expect(cusparseCsr2cscEx2_bufferSize(cusparse(), a.mb, a.nb, a.nnz(), nullptr, nullptr, nullptr, nullptr,
                                         nullptr, nullptr, type, action, base, alg, &bytes));
    return bytes;
}

void check(const device_result& to, cusparseAction_t action) {
    const std::string wrong = action == CUSPARSE_ACTION_NUMERIC ? to.differs() : to.pattern_differs();
    if (!wrong.empty()) FAIL_CHECK(wrong);
}

// The same by Csr2cscEx, and by csr2csc where it has the type.
void check_removed(const block_arrays& csr, cudaDataType type, cusparseAction_t action, bool absent) {
    const device_blocks from(csr, absent);
    const block_arrays expected = turned(csr);
    const auto base = static_cast<cusparseIndexBase_t>(csr.layout.base);
    const bool gone = absent && csr.nnz() == 0;
    {
        device_result to(expected);
        expect(cusparseCsr2cscEx(cusparse(), csr.mb, csr.nb, csr.nnz(), from.values<void>(), type,
                                 from.offsets(), from.indices(), gone ? nullptr : to.values<void>(), type,
                                 gone ? nullptr : to.indices(), to.offsets(), action, base, type));
        check(to, action);
    }
    for_each_type([&]<class F>(F) {
        using T = typename F::scalar;
        if (F::type != type) return;
        device_result to(expected);
        expect(F::csr2csc(cusparse(), csr.mb, csr.nb, csr.nnz(), from.values<T>(), from.offsets(),
                          from.indices(), gone ? nullptr : to.values<T>(), gone ? nullptr : to.indices(),
                          to.offsets(), action, base));
        check(to, action);
    });
}

// The pattern, and where each element was.
void check_places(const block_arrays& csr) {
    const device_blocks from(csr, false);
    const block_arrays expected = turned(csr);
    device_result to(expected);
    const auto nnz = static_cast<std::size_t>(csr.nnz());
    device_array<int> places(nnz, 1);
    const matrix_descriptor descr = describe_general(csr.layout.base);
    std::size_t bytes = 0;
    expect(cusparseXcsr2csc2_bufferSizeExt(cusparse(), csr.mb, csr.nb, csr.nnz(), from.offsets(),
                                           from.indices(), &bytes));
    const workspace buffer(bytes, 1);
    expect(cusparseXcsr2csc2(cusparse(), csr.mb, csr.nb, csr.nnz(), descr.get(), from.offsets(),
                             from.indices(), to.offsets(), to.indices(), places.data(), buffer.data()));
    check(to, CUSPARSE_ACTION_SYMBOLIC);
    std::vector<int> wanted(nnz);
    std::iota(wanted.begin(), wanted.end(), 0);
    std::stable_sort(wanted.begin(), wanted.end(), [&](int j, int k) {
        return csr.indices[static_cast<std::size_t>(j)] < csr.indices[static_cast<std::size_t>(k)];
    });
    CHECK((places.download() == wanted));
}

void check_csc(const block_arrays& csr, cudaDataType type, cusparseAction_t action, cusparseCsr2CscAlg_t alg,
               bool absent) {
    INFO("base " << csr.layout.base << ", action " << action << ", algorithm " << alg << ", absent "
                 << absent);
    const device_blocks from(csr, absent);
    const block_arrays expected = turned(csr);
    device_result to(expected);
    workspace buffer(workspace_bytes(csr, type, action, alg), 1);
    const bool gone = absent && csr.nnz() == 0;
    expect(cusparseCsr2cscEx2(cusparse(), csr.mb, csr.nb, csr.nnz(), from.values<void>(), from.offsets(),
                              from.indices(), gone ? nullptr : to.values<void>(), to.offsets(),
                              gone ? nullptr : to.indices(), type, action,
                              static_cast<cusparseIndexBase_t>(csr.layout.base), alg, buffer.data()));
    check(to, action);
    if (alg == 2 || !absent) check_removed(csr, type, action, absent);
}

}  // namespace

TEST_CASE("Csr2cscEx2 of every shape and type") {
    random_source random(61);
    int turn = 0;
    for (const cudaDataType type : all_types)
        for (const named_pattern& pattern : patterns(random)) {
            // Programs of a type take OpenCL's compiler time, and all widths of elements are tried.
            INFO(facts(type).name << ", " << pattern.name);
            for (const int base : {0, 1}) {
                if (is_short() && turn++ % 3 != 0) continue;
                const element_list elements = noisy(pattern.matrix, size_of(type), random);
                const block_arrays csr = arranged(elements, size_of(type), {1, 1, false, base});
                check_csc(csr, type, CUSPARSE_ACTION_NUMERIC, CUSPARSE_CSR2CSC_ALG1, false);
                check_csc(shuffled(csr, random), type, CUSPARSE_ACTION_NUMERIC, CUSPARSE_CSR2CSC_ALG1, true);
                check_csc(csr, type, CUSPARSE_ACTION_SYMBOLIC, static_cast<cusparseCsr2CscAlg_t>(2), true);
            }
        }
}

TEST_CASE("Xcsr2csc2 tells where elements were") {
    random_source random(64);
    for (const named_pattern& pattern : small_patterns())
        for (const int base : {0, 1}) {
            INFO(pattern.name << ", base " << base);
            const block_arrays csr = arranged(noisy(pattern.matrix, 4, random), 4, {1, 1, false, base});
            check_places(csr);
            check_places(shuffled(csr, random));
        }
    check_places(arranged(noisy(random_pattern(300, 200, 9, random), 4, random), 4, {1, 1, false, 1}));
}

// More elements than a tile of any kernel, and columns of all lengths.
TEST_CASE("Csr2cscEx2 of a large matrix") {
    random_source random(63);
    entries large{3000, 70000, {}};
    for (int i = 0; i < 3000; ++i)
        for (int k = 0; k < 50; ++k) {
            const std::int64_t column = random.below(70000);
            large.list.push_back({i, k < 10 ? column / 1000 : column, 1.0});
        }
    for (int j = 0; j < 20000; ++j) large.list.push_back({1500, j, 1.0});
    for (const cudaDataType type : {CUDA_R_32F, CUDA_R_64F}) {
        const block_arrays csr =
            arranged(noisy(large, size_of(type), random), size_of(type), {1, 1, false, 1});
        check_csc(shuffled(csr, random), type, CUSPARSE_ACTION_NUMERIC, CUSPARSE_CSR2CSC_ALG1, false);
    }
}

TEST_CASE("elements of one column keep their order, equal ones too") {
    // Row 1 stores column 2 three times.
    const block_arrays csr{
        {1, 1, false, 1}, 3, 3, 4, {1, 2, 6, 6}, {3, 3, 1, 3, 3}, byte_array{1, 0, 0, 0, 2, 0, 0, 0, 3, 0,
                                                                             0, 0, 4, 0, 0, 0, 5, 0, 0, 0}};
    check_csc(csr, CUDA_R_32F, CUSPARSE_ACTION_NUMERIC, CUSPARSE_CSR2CSC_ALG1, false);
}

TEST_CASE("Csr2cscEx2 of an empty matrix writes the offsets that are there and looks at nothing else") {
    for (const int base : {0, 1})
        for (const auto& [m, n] : {std::pair{0, 5}, std::pair{5, 0}, std::pair{0, 0}}) {
            device_array<int> offsets(static_cast<std::size_t>(n) + 1, 1);
            const auto call = [&](int* to) {
                expect(cusparseCsr2cscEx2(cusparse(), m, n, 0, nullptr, nullptr, nullptr, nullptr, to,
                                          nullptr, CUDA_R_64F, CUSPARSE_ACTION_NUMERIC,
                                          static_cast<cusparseIndexBase_t>(base), CUSPARSE_CSR2CSC_ALG1,
                                          nullptr));
            };
            call(nullptr);
            call(offsets.data());
            CHECK(offsets.download() == std::vector<int>(static_cast<std::size_t>(n) + 1, base));
        }
}

TEST_CASE("csr2coo and coo2csr") {
    random_source random(62);
    for (const named_pattern& pattern : patterns(random))
        for (const int base : {0, 1}) {
            INFO(pattern.name << ", base " << base);
            const auto index_base = static_cast<cusparseIndexBase_t>(base);
            const block_arrays csr = arranged(noisy(pattern.matrix, 4, random), 4, {1, 1, false, base});
            std::vector<int> rows;
            for (const placed_element& e : all_elements(csr).elements)
                rows.push_back(static_cast<int>(e.row) + base);
            const device_array<int> offsets(csr.offsets, 1);
            device_array<int> found_rows(rows.size(), 1), found_offsets(csr.offsets.size(), 1);
            const bool none = rows.empty();
            expect(cusparseXcsr2coo(cusparse(), none ? nullptr : offsets.data(), csr.nnz(), csr.mb,
                                    none ? nullptr : found_rows.data(), index_base));
            CHECK((found_rows.download() == rows));
            const device_array<int> given(rows, 1);
            expect(cusparseXcoo2csr(cusparse(), none ? nullptr : given.data(), csr.nnz(), csr.mb,
                                    found_offsets.data(), index_base));
            CHECK((found_offsets.download() == csr.offsets));
        }
}

TEST_CASE("csr2coo and coo2csr with long runs of empty rows") {
    for (const auto& [base, longest] :
         {std::pair{0, 5000}, {1, 5000}, {0, 120000}, {1, 120000}, {1, 600000}, {0, 1500000}}) {
        INFO("base " << base << ", longest row " << longest);
        std::vector<int> rows, offsets(200001, base);
        for (const auto& [row, count] :
             {std::pair{0, 700}, {1, 1}, {1025, 1}, {2050, 2}, {150000, longest}, {150001, 3}, {199000, 1}}) {
            rows.insert(rows.end(), static_cast<std::size_t>(count), row + base);
            for (std::size_t k = static_cast<std::size_t>(row) + 1; k < offsets.size(); ++k)
                offsets[k] += count;
        }
        const auto index_base = static_cast<cusparseIndexBase_t>(base);
        const int nnz = static_cast<int>(rows.size());
        const device_array<int> given_offsets(offsets), given_rows(rows);
        device_array<int> found_rows(rows.size()), found_offsets(offsets.size());
        expect(
            cusparseXcsr2coo(cusparse(), given_offsets.data(), nnz, 200000, found_rows.data(), index_base));
        CHECK((found_rows.download() == rows));
        expect(
            cusparseXcoo2csr(cusparse(), given_rows.data(), nnz, 200000, found_offsets.data(), index_base));
        CHECK((found_offsets.download() == offsets));
    }
}

TEST_CASE("coo2csr with every number of empty rows from 0 to 100 between two elements") {
    for (const auto& [first, of_first] :
         {std::pair{0, 0}, {1, 0}, {31, 0}, {32, 0}, {33, 0}, {0, 4000}, {33, 4000}}) {
        std::vector<int> rows(static_cast<std::size_t>(of_first), first), offsets;
        if (of_first > 0) offsets.resize(static_cast<std::size_t>(first) + 1, 0);
        for (int gap = 0, row = first; gap <= 100; row += ++gap) {
            offsets.resize(static_cast<std::size_t>(row) + 1, static_cast<int>(rows.size()));
            rows.push_back(row);
        }
        const int m = rows.back() + 70;
        offsets.resize(static_cast<std::size_t>(m) + 1, static_cast<int>(rows.size()));
        INFO("first row " << first << " of " << of_first << " elements more");
        const device_array<int> given(rows);
        device_array<int> found(offsets.size());
        expect(cusparseXcoo2csr(cusparse(), given.data(), static_cast<int>(rows.size()), m, found.data(),
                                CUSPARSE_INDEX_BASE_ZERO));
        CHECK((found.download() == offsets));
    }
}

TEST_CASE("coo2csr of many elements, with rows of every length") {
    random_source random(63);
    constexpr int m = 60000;
    for (const int base : {0, 1}) {
        std::vector<int> rows, offsets(1, base);
        for (int row = 0; row < m; ++row) {
            const int length = row == 1000 ? 50000 : row % 7 == 0 ? 0 : static_cast<int>(random.below(13));
            rows.insert(rows.end(), static_cast<std::size_t>(length), row + base);
            offsets.push_back(static_cast<int>(rows.size()) + base);
        }
        INFO("base " << base << ", " << rows.size() << " elements");
        const device_array<int> given(rows);
        device_array<int> found(offsets.size());
        expect(cusparseXcoo2csr(cusparse(), given.data(), static_cast<int>(rows.size()), m, found.data(),
                                static_cast<cusparseIndexBase_t>(base)));
        CHECK((found.download() == offsets));
    }
}

TEST_CASE("coo2csr of millions of elements, in short rows and in long ones") {
    for (const int longest : {8, 60, 400}) {
        const int m = 4500000 / longest;
        std::vector<int> rows, offsets(1, 0);
        for (int row = 0; row < m; ++row) {
            rows.insert(rows.end(), static_cast<std::size_t>(row % 3 * longest / 2), row);
            offsets.push_back(static_cast<int>(rows.size()));
        }
        INFO(rows.size() << " elements in rows of up to " << longest);
        const device_array<int> given(rows);
        device_array<int> found(offsets.size());
        expect(cusparseXcoo2csr(cusparse(), given.data(), static_cast<int>(rows.size()), m, found.data(),
                                CUSPARSE_INDEX_BASE_ZERO));
        CHECK((found.download() == offsets));
    }
}

TEST_CASE("coo2csr of rows in any order writes nothing but the offsets") {
    random_source random(64);
    for (const auto& [m, nnz] : {std::pair{100, 3000}, {200000, 100001}, {20, 300000}, {5000, 100}}) {
        INFO(m << " rows, " << nnz << " elements");
        std::vector<int> rows;
        for (int k = 0; k < nnz; ++k) rows.push_back(static_cast<int>(random.below(m)));
        const device_array<int> given(rows);
        device_array<int> found(static_cast<std::size_t>(m) + 1);
        expect(cusparseXcoo2csr(cusparse(), given.data(), nnz, m, found.data(), CUSPARSE_INDEX_BASE_ZERO));
        CHECK(found.memory().canaries_are_whole());
    }
}
