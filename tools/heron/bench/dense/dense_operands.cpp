#include "dense_operands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "whole_number.hpp"

namespace heron::tools {
namespace {

using number = std::complex<double>;

constexpr dense_element types[] = {
    {"f16", HERON_R_16F, scalar_type::f16}, {"bf16", HERON_R_16BF, scalar_type::bf16},
    {"f32", HERON_R_32F, scalar_type::f32}, {"f64", HERON_R_64F, scalar_type::f64},
    {"c32", HERON_C_32F, scalar_type::c32}, {"c64", HERON_C_64F, scalar_type::c64}};

heron_operation find_operation(char letter) {
    switch (letter) {
        case 'N': return HERON_OP_NONE;
        case 'T': return HERON_OP_TRANSPOSE;
        case 'C': return HERON_OP_CONJUGATE_TRANSPOSE;
        default: throw std::invalid_argument(fmt::format("'{}' is not one of the operations N T C", letter));
    }
}

// Of the matrix that begins at `first`.
number at(const number_array& values, std::int64_t first, int i, int j, int ld, heron_operation op) {
    const bool turned = op != HERON_OP_NONE;
    const auto index = static_cast<std::size_t>(first) + static_cast<std::size_t>(turned ? j : i) +
                       static_cast<std::size_t>(turned ? i : j) * static_cast<std::size_t>(ld);
    const number v{values.real[index], values.imag_at(index)};
    return op == HERON_OP_CONJUGATE_TRANSPOSE ? std::conj(v) : v;
}

constexpr float single_one[2] = {1, 0}, single_zero[2] = {0, 0};
constexpr double double_one[2] = {1, 0}, double_zero[2] = {0, 0};

}  // namespace

const dense_element& find_dense_element(const std::string& name) {
    for (const dense_element& t : types)
        if (name == t.name) return t;
    throw std::invalid_argument(fmt::format("'{}' is not one of the types f16 bf16 f32 f64 c32 c64", name));
}

heron_gemm_algorithm find_gemm_algorithm(const std::string& name) {
    if (name == "default") return HERON_GEMM_DEFAULT;
    if (name == "3m") return HERON_GEMM_3M;
    if (name == "tf32") return HERON_GEMM_TF32;
    if (name == "3xtf32") return HERON_GEMM_3XTF32;
    throw std::invalid_argument(fmt::format("'{}' is not one of default 3m tf32 3xtf32", name));
}

void set_operations(dense_problem& problem, const std::string& letters) {
    if (letters.size() != 2) throw std::invalid_argument(fmt::format("'{}' is not two of N T C", letters));
    problem.op_a = find_operation(letters[0]);
    problem.op_b = find_operation(letters[1]);
}

void set_sizes(dense_problem& p, const std::string& text) {
    std::vector<int> numbers;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('x', at), text.size());
        const std::int64_t number = whole_number(std::string_view(text).substr(at, end - at)).value_or(0);
        const bool fits = number > 0 && number <= std::numeric_limits<int>::max();
        numbers.push_back(fits ? static_cast<int>(number) : 0);
        at = end + 1;
    }
    const bool is_gemm = p.operation == dense_operation::gemm;
    const std::size_t wanted = is_gemm ? 3 : 2;
    const bool is_right = numbers.size() == 1 || numbers.size() == wanted;
    if (!is_right || *std::min_element(numbers.begin(), numbers.end()) < 1)
        throw std::invalid_argument(
            fmt::format("'{}' is not a size such as 256 or {}", text, is_gemm ? "1000x20x300" : "500x30"));
    p.m = p.n = p.k = numbers.front();
    if (is_gemm && numbers.size() == 3) p.n = numbers[1];
    (is_gemm || p.is_rank_update() ? p.k : p.n) = numbers.back();
}

dense_operands::dense_operands(const device& where, const dense_problem& problem,
                               const dense_element& element, std::uint64_t seed)
    : where_(where), handle_(where.handle()), problem_(problem), element_(element), random_(seed) {
    constexpr std::int64_t most_numbers = 1 << 22;
    different_ = std::clamp<std::int64_t>(most_numbers / std::max(problem.a_size(), problem.b_size()), 1,
                                          problem.batch);
    a_ = random_numbers(element.scalar, static_cast<std::size_t>(different_ * problem.a_size()), random_);
    b_ = random_numbers(element.scalar, static_cast<std::size_t>(different_ * problem.b_size()), random_);
    if (problem.is_in_place()) tame_triangle();
    on_device_[0] = uploaded(a_);
    on_device_[1] = uploaded(b_);
    c_bytes_ = static_cast<std::size_t>(problem.batch * problem.c_size() * problem.element_bytes());
    on_device_[2] = where.allocate(c_bytes_);
    problem_.a = on_device_[0].get();
    problem_.b = on_device_[1].get();
    problem_.c = on_device_[2].get();
    if (problem.algorithm == HERON_GEMM_3M) provide_workspace();
}

void dense_operands::provide_workspace() {
    const dense_problem& p = problem_;
    std::size_t bytes = 0;
    check(heron_gemm_workspace(where_.handle(), p.type, p.m, p.n, p.k, p.algorithm, &bytes),
          "heron_gemm_workspace");
    workspace_ = where_.allocate(bytes);
    check(heron_set_workspace(where_.handle(), workspace_.get(), bytes), "heron_set_workspace");
}

// Small numbers beside ones on the diagonal: what is multiplied or solved again and again stays bounded.
void dense_operands::tame_triangle() {
    const auto order = static_cast<std::size_t>(problem_.m);
    const double scale = std::ldexp(1.0, -std::ilogb(static_cast<double>(order)) - 1);
    for (double& v : a_.real) v *= scale;
    for (double& v : a_.imag) v *= scale;
    for (std::size_t i = 0; i < order; ++i) {
        a_.real[i * (order + 1)] = 1;
        if (!a_.imag.empty()) a_.imag[i * (order + 1)] = 0;
    }
}

// Relative, of a product of two operands. TF32 has 11 bits; two such numbers have 22. Of 16 bits the result
// is rounded.
double dense_operands::rounding_of_operands() const {
    if (problem_.is_half()) return traits_of(element_.scalar).epsilon;
    if (problem_.type != HERON_R_32F) return 0;
    if (problem_.algorithm == HERON_GEMM_TF32) return 0x1p-10;
    return problem_.algorithm == HERON_GEMM_3XTF32 ? 0x1p-20 : 0;
}

const void* dense_operands::one() const {
    return problem_.is_single() ? static_cast<const void*>(single_one) : double_one;
}

const void* dense_operands::zero() const {
    return problem_.is_single() ? static_cast<const void*>(single_zero) : double_zero;
}

void dense_operands::run_gemm(heron_gemm_algorithm algorithm) const {
    const dense_problem& p = problem_;
    if (p.batch > 1) return run_batch(algorithm);
    check(heron_gemm(handle_, p.type, HERON_ORDER_COLUMN, p.op_a, p.op_b, p.m, p.n, p.k, one(), p.a, p.lda(),
                     p.b, p.ldb(), zero(), p.c, p.m, algorithm),
          "heron_gemm");
}

void dense_operands::run_batch(heron_gemm_algorithm algorithm) const {
    const dense_problem& p = problem_;
    const auto strided = [](void* base, std::int64_t stride) {
        heron_batch_operand operand{};
        operand.kind = HERON_BATCH_STRIDED;
        operand.base = base;
        operand.stride = stride;
        return operand;
    };
    check(heron_gemm_batched(handle_, p.type, HERON_ORDER_COLUMN, p.op_a, p.op_b, p.m, p.n, p.k, one(),
                             strided(on_device_[0].get(), p.a_size()), p.lda(),
                             strided(on_device_[1].get(), p.b_size()), p.ldb(), zero(),
                             strided(p.c, p.c_size()), p.m, p.batch, algorithm),
          "heron_gemm_batched");
}

void dense_operands::run_heron(heron_rank_2k_algorithm algorithm) const {
    const dense_problem& p = problem_;
    if (p.operation == dense_operation::gemm) {
        run_gemm(p.algorithm);
    } else if (p.operation == dense_operation::rank_k) {
        const auto f = p.is_complex() ? heron_herk : heron_syrk;
        check(f(handle_, p.type, HERON_ORDER_COLUMN, HERON_FILL_LOWER, HERON_OP_NONE, p.n, p.k, one(), p.a,
                p.n, zero(), p.c, p.n),
              "heron_herk");
    } else if (p.operation != dense_operation::rank_2k) {
        run_structured();
    } else {
        const auto f = p.is_complex() ? heron_her2k : heron_syr2k;
        check(f(handle_, p.type, HERON_ORDER_COLUMN, HERON_FILL_LOWER, HERON_OP_NONE, p.n, p.k, one(), p.a,
                p.n, p.b, p.n, zero(), p.c, p.n, algorithm),
              "heron_her2k");
    }
}

void dense_operands::run_structured() const {
    const dense_problem& p = problem_;
    if (p.operation == dense_operation::symmetric) {
        const auto f = p.is_complex() ? heron_hemm : heron_symm;
        check(f(handle_, p.type, HERON_ORDER_COLUMN, HERON_SIDE_LEFT, HERON_FILL_LOWER, p.m, p.n, one(), p.a,
                p.m, p.b, p.m, zero(), p.c, p.m),
              "heron_symm");
        return;
    }
    const auto f = p.operation == dense_operation::solve ? heron_trsm : heron_trmm;
    check(f(handle_, p.type, HERON_ORDER_COLUMN, HERON_SIDE_LEFT, HERON_FILL_LOWER, HERON_OP_NONE,
            HERON_DIAG_NON_UNIT, p.m, p.n, one(), p.a, p.m, p.c, p.m),
          "heron_trsm");
}

bool dense_operands::is_right(const std::function<void()>& run) const {
    if (problem_.is_in_place())
        where_.copy(problem_.c, problem_.b, c_bytes_);
    else
        where_.fill(problem_.c, 0xff, c_bytes_);
    where_.synchronize();  // a peer on the processor would not wait
    run();
    where_.synchronize();
    struct sample {
        std::int64_t item;
        int i, j;
        number_array column;
    };
    std::vector<sample> samples;
    splitmix64 random(1);
    for (int s = 0; s < 200; ++s) {
        int i = s == 0 ? problem_.m - 1 : static_cast<int>(random.below(problem_.m));
        int j = s < 2 ? problem_.n - 1 : static_cast<int>(random.below(problem_.n));
        if (problem_.is_rank_update() && i < j) std::swap(i, j);
        const std::int64_t item = s < 2 ? problem_.batch - 1 : random.below(problem_.batch);
        samples.push_back({item, i, j, column_of_c(item, j)});
    }
    int wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
    for (const sample& s : samples) wrong += is_right(s.column, s.item % different_, s.i, s.j) ? 0 : 1;
    return wrong == 0;
}

device_buffer dense_operands::uploaded(const number_array& values) const {
    constexpr std::size_t at_once = 1 << 22;
    const std::size_t count = values.size(), size = traits_of(element_.scalar).size;
    const std::size_t end =
        count / static_cast<std::size_t>(different_) * static_cast<std::size_t>(problem_.batch) * size;
    device_buffer memory = where_.allocate(end);
    for (std::size_t first = 0; first < count; first += at_once) {
        const std::vector<std::byte> bytes =
            encode(element_.scalar, values, first, std::min(at_once, count - first));
        for (std::size_t begin = first * size; begin < end; begin += count * size)
            where_.copy(memory.at(begin), bytes.data(), std::min(bytes.size(), end - begin));
    }
    return memory;
}

number_array dense_operands::column_of_c(std::int64_t item, int j) const {
    const dense_problem& p = problem_;
    const std::int64_t first = item * p.c_size() + std::int64_t{j} * p.m;
    std::vector<std::byte> bytes(static_cast<std::size_t>(p.m * p.element_bytes()));
    where_.copy(bytes.data(), on_device_[2].at(static_cast<std::size_t>(first * p.element_bytes())),
                bytes.size());
    return decode(element_.scalar, bytes);
}

bool dense_operands::is_right(const number_array& c, std::int64_t item, int i, int j) const {
    const dense_problem& p = problem_;
    const number got = p.operation == dense_operation::solve ? at(b_, 0, i, j, p.m, HERON_OP_NONE)
                                                             : at(c, 0, i, 0, p.m, HERON_OP_NONE);
    number sum = 0;
    double size = 0;
    const auto add = [&](number x, number y) {
        sum += x * y;
        size += std::abs(x) * std::abs(y);
    };
    for (int l = 0; l < (p.is_in_place() ? i + 1 : p.k); ++l) {
        if (p.operation == dense_operation::symmetric) {
            const number stored = at(a_, 0, std::max(i, l), std::min(i, l), p.m, HERON_OP_NONE);
            add(i == l  ? stored.real()
                : i < l ? std::conj(stored)
                        : stored,
                at(b_, 0, l, j, p.m, HERON_OP_NONE));
        } else if (p.is_in_place()) {
            const bool is_solved = p.operation == dense_operation::solve;
            add(at(a_, 0, i, l, p.m, HERON_OP_NONE),
                at(is_solved ? c : b_, 0, l, is_solved ? 0 : j, p.m, HERON_OP_NONE));
        } else if (p.operation == dense_operation::gemm) {
            add(at(a_, item * p.a_size(), i, l, p.lda(), p.op_a),
                at(b_, item * p.b_size(), l, j, p.ldb(), p.op_b));
        } else {
            const number_array& other = p.operation == dense_operation::rank_k ? a_ : b_;
            add(at(a_, 0, i, l, p.n, HERON_OP_NONE), std::conj(at(other, 0, j, l, p.n, HERON_OP_NONE)));
            if (p.operation == dense_operation::rank_2k)
                add(at(b_, 0, i, l, p.n, HERON_OP_NONE), std::conj(at(a_, 0, j, l, p.n, HERON_OP_NONE)));
        }
    }
    // A solution that is not finite has no finite size, which bounds nothing.
    const scalar_type sums = p.is_half() ? scalar_type::f32 : element_.scalar;
    return std::isfinite(size) &&
           std::abs(got - sum) <=
               (traits_of(sums).epsilon * (4.0 * p.k + 16) + rounding_of_operands()) * size;
}

}  // namespace heron::tools
