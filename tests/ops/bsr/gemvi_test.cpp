// gemvi in four types against the oracle.
#include "ops/spmv/spmv_problem.hpp"
#include "typed_functions.hpp"

using namespace heron::test;

namespace {

template <class F>
struct gemvi_problem {
    using T = typename F::scalar;
    int rows, cols, padding, nnz, base;

    void run(cusparseOperation_t op, number alpha, number beta, cusparsePointerMode_t mode,
             random_source& random) const {
        const int ld = rows + padding;
        const bool turned = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
        const int inner = turned ? rows : cols, outer = turned ? cols : rows;
        const int used = std::min(nnz, inner);
        INFO(rows << " x " << cols << ", ld " << ld << ", nnz " << used << ", base " << base << ", op " << op
                  << ", mode " << mode);

        // What x does not meet is not read.
        std::vector<std::int64_t> places;
        for (int i = 0; i < inner; ++i) places.push_back(i);
        random.shuffle(places);
        places.resize(static_cast<std::size_t>(used));
        const auto x_values = random_values(F::type, places.size(), random);
        const auto y_start = random_values(F::type, static_cast<std::size_t>(outer), random);
        std::vector<number> a_values(static_cast<std::size_t>(ld * cols), poison(F::type));
        std::vector<number> x_dense(static_cast<std::size_t>(inner));
        entries matrix{rows, cols, {}};
        for (std::size_t k = 0; k < places.size(); ++k) {
            x_dense[static_cast<std::size_t>(places[k])] = x_values[k];
            for (int other = 0; other < outer; ++other) {
                const std::int64_t i = turned ? places[k] : other, j = turned ? other : places[k];
                const number v = random_value(F::type, random);
                a_values[static_cast<std::size_t>(i + j * ld)] = v;
                matrix.list.push_back({i, j, v});
            }
        }
        for (std::int64_t& place : places) place += base;
        const typed_array a(F::type, a_values, 1), x(F::type, x_values, 1);
        const index_array indices(CUSPARSE_INDEX_32I, places, 1);
        const typed_array y(F::type,
                            beta == 0.0 ? std::vector<number>(y_start.size(), poison(F::type)) : y_start, 1);

        int size = -1;
        expect(F::gemvi_bufferSize(cusparse(), op, rows, cols, used, &size));
        REQUIRE(size >= 0);
        workspace buffer(static_cast<std::size_t>(size));
        const pointer_mode_scope scope(mode);
        const scalar_operand alpha_argument(F::type, alpha, mode), beta_argument(F::type, beta, mode);
        expect(F::gemvi(cusparse(), op, rows, cols, static_cast<const T*>(alpha_argument.data()),
                        static_cast<const T*>(a.data()), ld, used, static_cast<const T*>(x.data()),
                        static_cast<const int*>(indices.data()), static_cast<const T*>(beta_argument.data()),
                        static_cast<T*>(y.data()), static_cast<cusparseIndexBase_t>(base), buffer.data()));
        const std::string wrong =
            difference(y.numbers(), spmv(matrix, op, alpha, x_dense, beta, y_start, F::type, F::type));
        if (!wrong.empty()) FAIL_CHECK(wrong);
    }
};

}  // namespace

TEST_CASE("gemvi in four types, both bases, all operations and pointer modes") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        random_source random(61);
        const number alpha = representable(F::type, {0.75, -0.5}), beta = representable(F::type, {-1.25, 1});
        INFO(facts(F::type).name);
        for (const int base : {0, 1})
            for (const gemvi_problem<F>& p :
                 {gemvi_problem<F>{1, 1, 0, 1, base}, gemvi_problem<F>{7, 5, 2, 3, base},
                  gemvi_problem<F>{5, 300, 0, 40, base}, gemvi_problem<F>{700, 9, 3, 9, base},
                  gemvi_problem<F>{6, 4, 1, 0, base}, gemvi_problem<F>{0, 4, 1, 2, base},
                  gemvi_problem<F>{4, 0, 1, 2, base}})
                for (const cusparseOperation_t op : all_operations) {
                    p.run(op, 1.0, 0.0, CUSPARSE_POINTER_MODE_HOST, random);
                    p.run(op, alpha, beta, CUSPARSE_POINTER_MODE_HOST, random);
                    p.run(op, alpha, beta, CUSPARSE_POINTER_MODE_DEVICE, random);
                    p.run(op, 0.0, beta, CUSPARSE_POINTER_MODE_DEVICE, random);
                }
    });
}
