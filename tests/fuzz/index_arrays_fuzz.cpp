// HERON_VALIDATE on arbitrary index arrays: a product is refused exactly where a naive reading of the arrays
// finds a fault, and with what is accepted no kernel leaves the arrays, which are exactly as long as they are
// said to be.
#include "input.hpp"
#define DISABLE_CUSPARSE_DEPRECATED
#include <cusparse.h>
#include <algorithm>
#include <set>
#include <vector>

using namespace heron::fuzz;

namespace {

cusparseHandle_t handle() {
    static const cusparseHandle_t made = [] {
        setenv("HERON_VALIDATE", "1", 1);
        setenv("HERON_BACKEND", "host", 1);
        cusparseHandle_t h = nullptr;
        must(cusparseCreate(&h) == CUSPARSE_STATUS_SUCCESS, "no handle");
        return h;
    }();
    return made;
}

enum class layout { csr, csc, coo, bsr, sliced_ell, blocked_ell };

struct matrix {
    layout format;
    int64_t rows, cols, nnz, base;
    std::vector<int64_t> first, second;  // offsets or row indices, and column indices
};

constexpr int64_t block = 2, slice = 2;

// Mostly near what is right, and now and then anything.
int64_t index_of(input& in) {
    const uint8_t b = in.byte();
    return b < 250 ? static_cast<int8_t>(b % 20) - 2 : in.value<int64_t>();
}

matrix read_matrix(input& in) {
    matrix m{static_cast<layout>(in.below(6)), in.below(9), in.below(9), in.below(14), in.below(2), {}, {}};
    int64_t firsts = m.rows + 1, seconds = m.nnz;
    switch (m.format) {
        case layout::csr: break;
        case layout::csc: firsts = m.cols + 1; break;
        case layout::coo: firsts = m.nnz; break;
        case layout::bsr: break;
        case layout::sliced_ell: firsts = (m.rows + slice - 1) / slice + 1; break;
        case layout::blocked_ell: firsts = 0; seconds = (m.rows + block - 1) / block * (m.nnz / block);
    }
    for (int64_t k = 0; k < firsts; ++k) m.first.push_back(index_of(in));
    for (int64_t k = 0; k < seconds; ++k) m.second.push_back(index_of(in));
    return m;
}

// Without a difference of any two numbers, which may have no value.
bool is_within(int64_t index, int64_t base, int64_t size) { return index >= base && index < size + base; }

// The lines' own indices, if offsets are good.
bool lines_are_good(const matrix& m, int64_t lines, int64_t size) {
    if (m.first[0] != m.base || m.first[static_cast<size_t>(lines)] != m.nnz + m.base) return false;
    if (!std::is_sorted(m.first.begin(), m.first.end())) return false;
    for (size_t line = 0; line < static_cast<size_t>(lines); ++line) {
        std::set<int64_t> seen;
        for (int64_t k = m.first[line] - m.base; k < m.first[line + 1] - m.base; ++k) {
            const int64_t index = m.second[static_cast<size_t>(k)];
            if (!is_within(index, m.base, size) || !seen.insert(index).second) return false;
        }
    }
    return true;
}

bool coo_is_good(const matrix& m) {
    std::set<std::pair<int64_t, int64_t>> seen;
    for (size_t k = 0; k < m.second.size(); ++k) {
        const int64_t row = m.first[k], col = m.second[k];
        if (!is_within(row, m.base, m.rows) || !is_within(col, m.base, m.cols) ||
            !seen.insert({row, col}).second)
            return false;
    }
    return true;
}

template <class Index>
struct arrays {
    explicit arrays(const matrix& m)
        : first(m.first.begin(), m.first.end()), second(m.second.begin(), m.second.end()) {
        first.shrink_to_fit();
        second.shrink_to_fit();
    }
    std::vector<Index> first, second;
};

template <class Index>
cusparseSpMatDescr_t describe(const matrix& m, arrays<Index>& a, std::vector<float>& values) {
    const auto type = sizeof(Index) == 4 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;
    const auto base = static_cast<cusparseIndexBase_t>(m.base);
    cusparseSpMatDescr_t made = nullptr;
    void *const first = a.first.data(), *const second = a.second.data(), *const v = values.data();
    switch (m.format) {
        case layout::csr:
            cusparseCreateCsr(&made, m.rows, m.cols, m.nnz, first, second, v, type, type, base, CUDA_R_32F);
            break;
        case layout::csc:
            cusparseCreateCsc(&made, m.rows, m.cols, m.nnz, first, second, v, type, type, base, CUDA_R_32F);
            break;
        case layout::coo:
            cusparseCreateCoo(&made, m.rows, m.cols, m.nnz, first, second, v, type, base, CUDA_R_32F);
            break;
        case layout::bsr:
            cusparseCreateBsr(&made, m.rows, m.cols, m.nnz, block, block, first, second, v, type, type, base,
                              CUDA_R_32F, CUSPARSE_ORDER_ROW);
            break;
        case layout::sliced_ell:
            cusparseCreateSlicedEll(&made, m.rows, m.cols, m.nnz, m.nnz, slice, first, second, v, type, type,
                                    base, CUDA_R_32F);
            break;
        case layout::blocked_ell:
            cusparseCreateBlockedEll(&made, m.rows, m.cols, block, m.nnz / block * block, second, v, type,
                                     base, CUDA_R_32F);
    }
    return made;
}

cusparseStatus_t multiply(cusparseSpMatDescr_t a, int64_t rows, int64_t cols, bool transposed) {
    std::vector<float> in(static_cast<size_t>(transposed ? rows : cols), 1.0f);
    std::vector<float> out(static_cast<size_t>(transposed ? cols : rows));
    cusparseDnVecDescr_t x = nullptr, y = nullptr;
    cusparseCreateDnVec(&x, static_cast<int64_t>(in.size()), in.data(), CUDA_R_32F);
    cusparseCreateDnVec(&y, static_cast<int64_t>(out.size()), out.data(), CUDA_R_32F);
    const auto op = transposed ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
    const float one = 1, zero = 0;
    size_t bytes = 0;
    cusparseSpMV_bufferSize(handle(), op, &one, a, x, &zero, y, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT,
                            &bytes);
    std::vector<char> buffer(bytes);
    const cusparseStatus_t status = cusparseSpMV(handle(), op, &one, a, x, &zero, y, CUDA_R_32F,
                                                 CUSPARSE_SPMV_ALG_DEFAULT, buffer.data());
    cusparseDestroyDnVec(x);
    cusparseDestroyDnVec(y);
    return status;
}

// As the indices of a triangular solve, which have to ascend as well.
void analyse(cusparseSpMatDescr_t a, int64_t rows) {
    std::vector<float> b(static_cast<size_t>(rows), 1.0f), solution(static_cast<size_t>(rows));
    cusparseDnVecDescr_t x = nullptr, y = nullptr;
    cusparseSpSVDescr_t solve = nullptr;
    cusparseCreateDnVec(&x, rows, b.data(), CUDA_R_32F);
    cusparseCreateDnVec(&y, rows, solution.data(), CUDA_R_32F);
    cusparseSpSV_createDescr(&solve);
    const float one = 1;
    size_t bytes = 0;
    cusparseSpSV_bufferSize(handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, x, y, CUDA_R_32F,
                            CUSPARSE_SPSV_ALG_DEFAULT, solve, &bytes);
    std::vector<char> buffer(bytes);
    if (cusparseSpSV_analysis(handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, x, y, CUDA_R_32F,
                              CUSPARSE_SPSV_ALG_DEFAULT, solve, buffer.data()) == CUSPARSE_STATUS_SUCCESS)
        cusparseSpSV_solve(handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, x, y, CUDA_R_32F,
                           CUSPARSE_SPSV_ALG_DEFAULT, solve);
    cusparseSpSV_destroyDescr(solve);
    cusparseDestroyDnVec(x);
    cusparseDestroyDnVec(y);
}

template <class Index>
void try_arrays(matrix m, bool transposed) {
    // What the array holds is what counts.
    for (auto* list : {&m.first, &m.second})
        for (int64_t& index : *list) index = static_cast<Index>(index);
    arrays<Index> a(m);
    const bool blocks = m.format == layout::bsr || m.format == layout::blocked_ell;
    std::vector<float> values((m.second.size() + 1) * (blocks ? block * block : 1), 1.0f);
    const cusparseSpMatDescr_t described = describe(m, a, values);
    if (!described) return;
    const int64_t scale = m.format == layout::bsr ? block : 1;
    const cusparseStatus_t status = multiply(described, m.rows * scale, m.cols * scale, transposed);
    const bool accepted = status == CUSPARSE_STATUS_SUCCESS;
    if (m.rows > 0 && m.cols > 0) {
        if (m.format == layout::csr || m.format == layout::bsr)
            must(accepted == lines_are_good(m, m.rows, m.cols), "rows are judged wrongly");
        if (m.format == layout::csc)
            must(accepted == lines_are_good(m, m.cols, m.rows), "columns are judged wrongly");
        if (m.format == layout::coo) must(accepted == coo_is_good(m), "pairs are judged wrongly");
    }
    if (m.rows == m.cols) analyse(described, m.rows * scale);
    cusparseDestroySpMat(described);
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    input in(data, size);
    const int kind = in.below(4);
    const matrix m = read_matrix(in);
    if (kind & 1)
        try_arrays<int64_t>(m, kind & 2);
    else
        try_arrays<int32_t>(m, kind & 2);
    return 0;
}
