#include "kron_problem.hpp"

namespace heron::test {
namespace {

cudaDataType cuda_type(heron_type type) {
    switch (type) {
        case HERON_R_32F: return CUDA_R_32F;
        case HERON_R_64F: return CUDA_R_64F;
        case HERON_C_32F: return CUDA_C_32F;
        default: return CUDA_C_64F;
    }
}

bool transposes(heron_operation op) { return op == HERON_OP_TRANSPOSE || op == HERON_OP_CONJUGATE_TRANSPOSE; }
bool conjugates(heron_operation op) { return op == HERON_OP_CONJUGATE || op == HERON_OP_CONJUGATE_TRANSPOSE; }

// Element (i, j) of op(A).
number element(const kron_problem& p, const kron_factor_case& f, std::int64_t offset, std::int64_t i,
               std::int64_t j) {
    const bool transposed = transposes(f.op);
    const std::int64_t row = transposed ? j : i, column = transposed ? i : j;
    const std::int64_t at = p.factor_order == HERON_ORDER_ROW ? row * f.ld + column : row + column * f.ld;
    const number v = f.stored[static_cast<std::size_t>(offset + at)];
    return conjugates(f.op) ? std::conj(v) : v;
}

number random_number(random_source& random, bool complex) {
    const double re = random.symmetric_unit();
    return {re, complex ? random.symmetric_unit() : 0.0};
}

std::vector<number> random_numbers(random_source& random, cudaDataType type, std::int64_t count) {
    std::vector<number> values(static_cast<std::size_t>(count));
    for (number& v : values) v = random_number(random, is_complex(type));
    return rounded(type, values);
}

// Row `row` of kron(op(A_1), ...), and the same with absolute values.
void kron_row(const kron_problem& p, std::int64_t item, std::int64_t row, std::vector<number>& values,
              std::vector<double>& sizes) {
    values.assign(1, 1.0);
    sizes.assign(1, 1.0);
    std::int64_t below = p.rows();
    for (const kron_factor_case& f : p.factors) {
        below /= f.m;
        const std::int64_t i = row / below % f.m;
        const std::int64_t offset = f.places.offsets[static_cast<std::size_t>(item)];
        std::vector<number> line;
        for (std::int64_t j = 0; j < f.n; ++j) line.push_back(element(p, f, offset, i, j));
        std::vector<number> next;
        std::vector<double> next_sizes;
        next.reserve(values.size() * line.size());
        next_sizes.reserve(values.size() * line.size());
        for (std::size_t k = 0; k < values.size(); ++k)
            for (const number& a : line) {
                next.push_back(product(values[k], a));
                next_sizes.push_back(sizes[k] * absolute(a));
            }
        values.swap(next);
        sizes.swap(next_sizes);
    }
}

template <class T>
std::vector<T> as_indices(const std::vector<std::int64_t>& values, std::int64_t unit) {
    std::vector<T> result;
    for (const std::int64_t v : values) result.push_back(static_cast<T>(unit > 0 ? v / unit : 0));
    return result;
}

}  // namespace

std::int64_t kron_places::extent() const {
    std::int64_t most = 0;
    for (const std::int64_t o : offsets) most = std::max(most, o + 1);
    return most;
}

std::int64_t kron_factor_case::stored_size(heron_order order) const {
    const std::int64_t stored_rows = transposes(op) ? n : m, stored_columns = transposes(op) ? m : n;
    if (stored_rows == 0 || stored_columns == 0) return 0;
    return order == HERON_ORDER_ROW ? (stored_rows - 1) * ld + stored_columns
                                    : (stored_columns - 1) * ld + stored_rows;
}

std::int64_t kron_problem::rows() const {
    std::int64_t size = 1;
    for (const kron_factor_case& f : factors) size *= f.m;
    return size;
}
std::int64_t kron_problem::columns() const {
    std::int64_t size = 1;
    for (const kron_factor_case& f : factors) size *= f.n;
    return size;
}
std::int64_t kron_problem::x_offset(std::int64_t i, std::int64_t v) const {
    return vector_order == HERON_ORDER_ROW ? i * ldx + v : i + v * ldx;
}
std::int64_t kron_problem::y_offset(std::int64_t i, std::int64_t v) const {
    return vector_order == HERON_ORDER_ROW ? i * ldy + v : i + v * ldy;
}
std::int64_t kron_problem::x_reach() const {
    return columns() == 0 || vectors == 0 ? 0 : x_offset(columns() - 1, vectors - 1) + 1;
}
std::int64_t kron_problem::y_reach() const {
    return rows() == 0 || vectors == 0 ? 0 : y_offset(rows() - 1, vectors - 1) + 1;
}
cudaDataType kron_problem::data_type() const { return cuda_type(type); }
std::size_t kron_problem::element_size() const { return size_of(data_type()); }

kron_places kron_problem::places(random_source& random, std::int64_t operands, std::int64_t reach,
                                 bool distinct, bool shared) const {
    kron_places result;
    result.kind = static_cast<heron_batch_kind>(random.below(3));
    result.index_type = static_cast<heron_index_type>(random.below(2));
    const std::int64_t gap = random.below(3);
    result.unit = shared && !distinct ? 0 : std::max<std::int64_t>(reach + gap, 1);
    std::vector<std::int64_t> slots;
    for (std::int64_t k = 0; k < operands; ++k) slots.push_back(k);
    if (result.kind != HERON_BATCH_STRIDED) {
        if (distinct)
            random.shuffle(slots);
        else
            for (std::int64_t& s : slots) s = random.below(std::max<std::int64_t>(operands / 2, 1));
        // Partial overlap, where overlap is allowed.
        result.unit = distinct ? result.unit : 1 + random.below(std::max<std::int64_t>(reach, 1));
    }
    for (const std::int64_t s : slots) result.offsets.push_back(s * result.unit);
    return result;
}

void kron_problem::fill(random_source& random) {
    for (kron_factor_case& f : factors)
        f.stored = random_numbers(random, data_type(), f.places.extent() + f.stored_size(factor_order));
    x = random_numbers(random, data_type(), x_places.extent() + x_reach());
    y = random_numbers(random, data_type(), y_places.extent() + y_reach());
    if (output == HERON_KRON_STORE)
        for (number& v : y) v = std::numeric_limits<double>::quiet_NaN();
}

kron_problem square_kron(heron_type type, int ndim, std::int64_t n, std::int64_t count,
                         random_source& random) {
    kron_problem p;
    p.type = type;
    p.count = count;
    const auto strided = [&](std::int64_t stride) {
        kron_places places;
        places.unit = stride;
        for (std::int64_t k = 0; k < count; ++k) places.offsets.push_back(k * stride);
        return places;
    };
    for (int i = 0; i < ndim; ++i)
        p.factors.push_back({n, n, std::max<std::int64_t>(n, 1), HERON_OP_NONE, strided(n * n), {}});
    p.ldx = p.ldy = std::max<std::int64_t>(p.rows(), 1);
    p.x_places = strided(p.columns());
    p.y_places = strided(p.rows());
    p.fill(random);
    return p;
}

expectation expected_kron(const kron_problem& p, std::vector<bool>& checked) {
    const std::int64_t m = p.rows(), n = p.columns();
    std::vector<number> sum(p.y.size());
    std::vector<double> magnitude(p.y.size());
    std::vector<std::int64_t> touched(p.y.size());
    checked.assign(p.y.size(), true);
    std::int64_t terms = 4;
    for (const kron_factor_case& f : p.factors) terms += f.n + 1;
    constexpr std::int64_t most_rows = 40, long_row = 700;
    const std::int64_t step = n > long_row && m > most_rows ? m / most_rows + 1 : 1;

    std::vector<number> values;
    std::vector<double> sizes, x_sizes;
    for (const number& v : p.x) x_sizes.push_back(absolute(v));
    const auto add = [&](std::int64_t item, std::int64_t y_base) {
        const std::int64_t x_base = p.x_places.offsets[static_cast<std::size_t>(item)];
        for (std::int64_t row = 0; row < m; ++row) {
            // The same rows for all items of an output: of others a sum would be known in part.
            const bool skipped = row % step != y_base % step;
            if (!skipped && n > 0 && p.alpha != 0.0) kron_row(p, item, row, values, sizes);
            for (std::int64_t v = 0; v < p.vectors; ++v) {
                const auto at = static_cast<std::size_t>(y_base + p.y_offset(row, v));
                ++touched[at];
                if (skipped) checked[at] = false;
                if (skipped || p.alpha == 0.0) continue;
                for (std::int64_t j = 0; j < n; ++j) {
                    const auto from = static_cast<std::size_t>(x_base + p.x_offset(j, v));
                    sum[at] += product(values[static_cast<std::size_t>(j)], p.x[from]);
                    magnitude[at] += sizes[static_cast<std::size_t>(j)] * x_sizes[from];
                }
            }
        }
    };
    if (p.output == HERON_KRON_ADD_GROUPED) {
        for (std::size_t g = 0; g + 1 < p.group_offsets.size(); ++g)
            for (std::int64_t k = p.group_offsets[g]; k < p.group_offsets[g + 1]; ++k)
                add(p.group_items.empty() ? k : p.group_items[static_cast<std::size_t>(k)],
                    p.y_places.offsets[g]);
    } else {
        for (std::int64_t k = 0; k < p.count; ++k) add(k, p.y_places.offsets[static_cast<std::size_t>(k)]);
    }

    const number beta = p.output == HERON_KRON_STORE ? 0.0 : p.output == HERON_KRON_AXPBY ? p.beta : 1.0;
    expectation result{p.y, std::vector<double>(p.y.size(), 0.0)};
    for (std::size_t i = 0; i < p.y.size(); ++i) {
        if (touched[i] == 0) continue;
        const number kept = beta == 0.0 ? number{} : product(beta, p.y[i]);
        result.value[i] = product(p.alpha, sum[i]) + kept;
        const std::int64_t weight = (terms + touched[i]) * (is_complex(p.data_type()) ? 4 : 1);
        result.bound[i] = error_bound(p.data_type(), p.data_type(), weight,
                                      absolute(p.alpha) * magnitude[i] + absolute(kept), result.value[i]);
    }
    return result;
}

kron_run::kron_run(const kron_problem& p)
    : problem_(p),
      x_(p.x.size() * p.element_size(), 0, encode(p.data_type(), p.x).data()),
      y_(p.y.size() * p.element_size(), 0, encode(p.data_type(), p.y).data()) {
    desc_.type = p.type;
    desc_.ndim = static_cast<int32_t>(p.factors.size());
    for (std::size_t i = 0; i < p.factors.size(); ++i) {
        const kron_factor_case& f = p.factors[i];
        auto memory = std::make_unique<device_memory>(f.stored.size() * p.element_size(), 0,
                                                      encode(p.data_type(), f.stored).data());
        desc_.factors[i] = {f.m, f.n, f.ld, f.op, operand(f.places, memory->data())};
        memory_.push_back(std::move(memory));
    }
    desc_.factor_order = p.factor_order;
    desc_.vector_order = p.vector_order;
    desc_.count = p.count;
    desc_.vectors = p.vectors;
    desc_.ldx = p.ldx;
    desc_.ldy = p.ldy;
    desc_.x = operand(p.x_places, x_.data());
    desc_.y = operand(p.y_places, y_.data());
    desc_.output = p.output;
    desc_.algorithm = p.algorithm;
    if (p.output != HERON_KRON_ADD_GROUPED) return;
    kron_places offsets, items;
    offsets.kind = items.kind = HERON_BATCH_INDEXED;
    offsets.index_type = items.index_type = p.group_type;
    offsets.offsets = p.group_offsets;
    items.offsets = p.group_items;
    desc_.group_count = static_cast<std::int64_t>(p.group_offsets.size()) - 1;
    desc_.group_type = p.group_type;
    desc_.group_offsets = operand(offsets, nullptr).list;
    if (!p.group_items.empty()) desc_.group_items = operand(items, nullptr).list;
}

heron_batch_operand kron_run::operand(const kron_places& places, void* base) {
    if (places.kind == HERON_BATCH_STRIDED) return heron_batch_strided(base, places.unit);
    const bool wide = places.kind == HERON_BATCH_POINTERS || places.index_type == HERON_INDEX_64;
    std::vector<std::int64_t> entries = as_indices<std::int64_t>(places.offsets, places.unit);
    if (places.kind == HERON_BATCH_POINTERS) {
        entries.clear();
        for (const std::int64_t offset : places.offsets)
            entries.push_back(
                static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(base) +
                                          offset * static_cast<std::int64_t>(problem_.element_size())));
    }
    const std::vector<std::int32_t> narrow(entries.begin(), entries.end());
    auto list = std::make_unique<device_memory>(
        entries.size() * (wide ? 8 : 4), 0,
        wide ? static_cast<const void*>(entries.data()) : static_cast<const void*>(narrow.data()));
    const void* const address = list->data();
    memory_.push_back(std::move(list));
    if (places.kind == HERON_BATCH_POINTERS)
        return heron_batch_pointers(static_cast<const void* const*>(address));
    return heron_batch_indexed(base, places.unit, address, places.index_type);
}

void kron_run::reset_y() { y_.upload(encode(problem_.data_type(), problem_.y).data()); }

std::size_t kron_run::workspace_bytes() {
    std::size_t bytes = 0;
    expect(heron_kronmult_workspace(native(), &desc_, &bytes));
    return bytes;
}

heron_status kron_run::run(bool scalars_on_device) {
    workspace work(workspace_bytes());
    const std::vector<unsigned char> alpha = encode(problem_.data_type(), {problem_.alpha});
    const std::vector<unsigned char> beta = encode(problem_.data_type(), {problem_.beta});
    const device_array<unsigned char> device_alpha(alpha), device_beta(beta);
    if (scalars_on_device) expect(heron_set_pointer_mode(native(), HERON_POINTER_DEVICE));
    const heron_status status =
        heron_kronmult(native(), scalars_on_device ? device_alpha.data() : alpha.data(), &desc_,
                       scalars_on_device ? device_beta.data() : beta.data(), work.data(), work.size());
    expect(heron_set_pointer_mode(native(), HERON_POINTER_HOST));
    expect(heron_synchronize(native()));
    CHECK(work.canaries_are_whole());
    return status;
}

std::string kron_run::difference() {
    std::vector<bool> checked;
    expectation expected = expected_kron(problem_, checked);
    const std::vector<unsigned char> before = encode(problem_.data_type(), problem_.y);
    const std::vector<unsigned char> after = y_.bytes();
    std::vector<number> actual = decode(problem_.data_type(), after);
    for (std::size_t i = 0; i < actual.size(); ++i) {
        const bool untouched = expected.bound[i] == 0.0;
        const std::size_t size = problem_.element_size();
        const bool same = std::equal(before.begin() + static_cast<std::ptrdiff_t>(i * size),
                                     before.begin() + static_cast<std::ptrdiff_t>((i + 1) * size),
                                     after.begin() + static_cast<std::ptrdiff_t>(i * size));
        if (untouched && !same)
            return "element " + std::to_string(i) + " belongs to no output and was written";
        if (untouched || !checked[i]) expected.value[i] = actual[i] = 0.0;
    }
    if (x_.bytes() != encode(problem_.data_type(), problem_.x)) return "X was written";
    return test::difference(actual, expected);
}

void check_kron(const kron_problem& p) {
    std::string shape;
    for (const kron_factor_case& f : p.factors)
        shape += std::to_string(f.m) + "x" + std::to_string(f.n) + " op " + std::to_string(f.op) + " ld " +
                 std::to_string(f.ld) + " kind " + std::to_string(f.places.kind) + ", ";
    INFO("type " << p.type << ", factors " << shape << "count " << p.count << ", vectors " << p.vectors
                 << ", orders " << p.factor_order << p.vector_order << ", output " << p.output
                 << ", algorithm " << p.algorithm << ", x kind " << p.x_places.kind << ", y kind "
                 << p.y_places.kind << " unit " << p.y_places.unit);
    kron_run run(p);
    expect(run.run());
    const std::string difference = run.difference();
    CHECK(difference == "");
}

}  // namespace heron::test
