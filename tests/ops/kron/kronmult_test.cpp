// Batched Kronecker products against the explicit product.
#include "kron_problem.hpp"
#include "ops/operands.hpp"
#include <array>
#include <cstdlib>

using namespace heron::test;

namespace {

// The library reads the variable at its first use.
const bool validating = setenv("HERON_VALIDATE", "1", 1) == 0;

constexpr heron_type all_types[] = {HERON_R_32F, HERON_R_64F, HERON_C_32F, HERON_C_64F};

std::int64_t power(std::int64_t n, int d) {
    std::int64_t result = 1;
    for (int i = 0; i < d; ++i) result *= n;
    return result;
}

bool overlap_allowed(heron_kron_output output) {
    return output == HERON_KRON_ADD_ATOMIC || output == HERON_KRON_ADD_DETERMINISTIC;
}

// Cuts count items into groups, some empty, and lists them in random order or not at all.
void make_groups(kron_problem& p, random_source& random) {
    const std::int64_t groups = 1 + random.below(5);
    p.group_offsets = {0};
    for (std::int64_t g = 1; g < groups; ++g) p.group_offsets.push_back(random.below(p.count + 1));
    p.group_offsets.push_back(p.count);
    std::sort(p.group_offsets.begin(), p.group_offsets.end());
    p.group_type = static_cast<heron_index_type>(random.below(2));
    if (random.below(2)) return;
    for (std::int64_t k = 0; k < p.count; ++k) p.group_items.push_back(k);
    random.shuffle(p.group_items);
}

kron_problem random_problem(random_source& random, heron_type type, bool square) {
    kron_problem p;
    p.type = type;
    p.factor_order = static_cast<heron_order>(random.below(2));
    p.vector_order = static_cast<heron_order>(random.below(3) == 0);
    p.count = random.below(6) == 0 ? 40 + random.below(40) : 1 + random.below(9);
    p.vectors = random.below(3) == 0 ? 1 + random.below(4) : 1;
    const int d = 1 + static_cast<int>(random.below(random.below(4) == 0 ? 8 : 4));
    const std::int64_t most = d <= 2 ? 11 : d == 3 ? 6 : d == 4 ? 4 : d <= 6 ? 3 : 2;
    const std::int64_t n = 1 + random.below(most);
    for (int i = 0; i < d; ++i) {
        kron_factor_case f;
        f.m = square ? n : 1 + random.below(most);
        f.n = square ? n : 1 + random.below(most);
        f.op = static_cast<heron_operation>(random.below(4));
        const bool by_rows = p.factor_order == HERON_ORDER_ROW;
        const bool transposed = f.op == HERON_OP_TRANSPOSE || f.op == HERON_OP_CONJUGATE_TRANSPOSE;
        f.ld = (transposed == by_rows ? f.m : f.n) + random.below(4);
        f.places = p.places(random, p.count, f.stored_size(p.factor_order), false, random.below(3) == 0);
        p.factors.push_back(f);
    }
    const bool by_rows = p.vector_order == HERON_ORDER_ROW;
    p.ldx = (by_rows ? p.vectors : p.columns()) + random.below(3);
    p.ldy = (by_rows ? p.vectors : p.rows()) + random.below(3);
    p.output = static_cast<heron_kron_output>(random.below(6));
    p.algorithm = static_cast<heron_kron_algorithm>(random.below(3) == 0 ? random.below(4) : 0);
    if (p.output == HERON_KRON_ADD_GROUPED) make_groups(p, random);
    const std::int64_t outputs =
        p.output == HERON_KRON_ADD_GROUPED ? static_cast<std::int64_t>(p.group_offsets.size()) - 1 : p.count;
    p.x_places = p.places(random, p.count, p.x_reach(), false, random.below(4) == 0);
    p.y_places = p.places(random, outputs, p.y_reach(), !overlap_allowed(p.output), random.below(3) == 0);
    if (random.below(2)) p.alpha = {0.5, is_complex(p.data_type()) ? -0.25 : 0.0};
    if (random.below(2)) p.beta = {-1.5, is_complex(p.data_type()) ? 0.5 : 0.0};
    p.fill(random);
    return p;
}

// With OpenCL each size is compiled by itself on GPUs: it has one of the types there.
bool is_tried(std::int64_t n, int d, heron_type type) {
    const std::int64_t size = power(n, d);
    const bool is_frequent = n == 3 || n == 4 || n == 8;
    if (size > 5000 || (size > 600 && !is_frequent)) return type == HERON_R_64F;
    return has_all_types() || type == all_types[(n + d) % 4];
}

// Places for `operands` in any order, `gap` elements between them.
kron_places listed(random_source& random, heron_batch_kind kind, std::int64_t operands, std::int64_t reach,
                   std::int64_t gap) {
    kron_places places;
    places.kind = kind;
    places.unit = reach + gap;
    places.offsets.clear();
    for (std::int64_t k = 0; k < operands; ++k) places.offsets.push_back(k * places.unit);
    random.shuffle(places.offsets);
    return places;
}

// Right, and bitwise the same when it is run again.
void check_repeated_kron(const kron_problem& p, int repeats) {
    kron_run run(p);
    expect(run.run());
    CHECK(run.difference() == "");
    const auto first = run.y_bytes();
    for (int i = 0; i < repeats; ++i) {
        run.reset_y();
        expect(run.run());
        CHECK(run.y_bytes() == first);
    }
}

}  // namespace

TEST_CASE("square factors of every size up to 10 and 16, one to six of them") {
    random_source random(1);
    for (const std::int64_t n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16})
        for (int d = 1; d <= 6; ++d) {
            if (power(n, d) > 270000) continue;
            for (const heron_type type : all_types) {
                if (!is_tried(n, d, type)) continue;
                kron_problem p = square_kron(type, d, n,
                                             power(n, d) > 20000 ? 2
                                             : power(n, d) > 500 ? 5
                                                                 : 37,
                                             random);
                p.output = n % 2 ? HERON_KRON_ADD : HERON_KRON_STORE;
                p.fill(random);
                check_kron(p);
            }
        }
}

TEST_CASE("operands found by lists, aligned and not") {
    random_source random(18);
    for (const std::int64_t n : {1, 2, 3, 4, 5, 8, 9, 10, 16})
        for (int d = 1; d <= 6; ++d)
            for (const heron_type type : all_types) {
                if (power(n, d) > 5000 || !is_tried(n, d, type)) continue;
                const std::int64_t gap = random.below(3);
                const auto kind = random.below(2) ? HERON_BATCH_POINTERS : HERON_BATCH_INDEXED;
                CAPTURE(n, d, type, gap, kind);
                kron_problem p = square_kron(type, d, n, power(n, d) > 500 ? 11 : 77, random);
                p.output =
                    std::array{HERON_KRON_STORE, HERON_KRON_ADD, HERON_KRON_ADD_GROUPED}[random.below(3)];
                for (kron_factor_case& f : p.factors) f.places = listed(random, kind, p.count, n * n, gap);
                p.x_places = listed(random, kind, p.count, p.x_reach(), gap);
                if (p.output == HERON_KRON_ADD_GROUPED) make_groups(p, random);
                const auto groups = static_cast<std::int64_t>(p.group_offsets.size()) - 1;
                p.y_places = listed(random, kind, groups > 0 ? groups : p.count, p.y_reach(), gap);
                p.fill(random);
                check_kron(p);
            }
}

TEST_CASE("one factor for all items, at an address of 16 bytes and then beside one") {
    random_source random(31);
    for (const heron_type type : {HERON_R_32F, HERON_R_64F, HERON_C_32F})
        for (const std::int64_t n : {2, 4, 8})
            for (const std::int64_t offset : {0, 1}) {
                CAPTURE(type, n, offset);
                kron_problem p = square_kron(type, 1, n, 64, random);
                p.factors[0].places.unit = 0;
                p.factors[0].places.offsets.assign(static_cast<std::size_t>(p.count), offset);
                p.fill(random);
                kron_run run(p);
                heron_batch_operand& factor = run.desc().factors[0].a;
                factor.base =
                    static_cast<char*>(factor.base) + offset * static_cast<std::int64_t>(p.element_size());
                expect(run.run());
                CHECK(run.difference() == "");
            }
}

TEST_CASE("random rectangular shapes, layouts, operands and modes") {
    random_source random(2);
    for (int k = 0; k < 400; ++k) {
        CAPTURE(k);
        check_kron(random_problem(random, all_types[k % 4], false));
    }
}

TEST_CASE("random square shapes, layouts, operands and modes") {
    random_source random(3);
    const int problems = has_all_types() ? 400 : 150;
    for (int k = 0; k < problems; ++k) {
        CAPTURE(k);
        check_kron(random_problem(random, all_types[k % 4], true));
    }
}

TEST_CASE("all algorithms and modes on larger items") {
    random_source random(4);
    for (const auto& [n, d] :
         {std::pair{4, 6}, std::pair{8, 4}, std::pair{6, 5}, std::pair{5, 6}, std::pair{10, 4}})
        for (int output = 0; output < 6; ++output) {
            kron_problem p = square_kron(HERON_R_64F, d, n, 9, random);
            p.output = static_cast<heron_kron_output>(output);
            p.algorithm = output == 0   ? HERON_KRON_993_FORWARD
                          : output == 1 ? HERON_KRON_993_BACKWARD
                          : output == 2 ? HERON_KRON_RECURSIVE
                                        : HERON_KRON_FUSED;
            p.alpha = 0.5;
            p.beta = 2.0;
            if (output == HERON_KRON_ADD_GROUPED) {
                p.group_offsets = {0, 5, 5, 9};
                p.y_places.offsets = {0, p.rows(), 2 * p.rows()};
            } else if (output > HERON_KRON_ADD) {
                p.y_places.kind = HERON_BATCH_INDEXED;
                for (std::size_t k = 0; k < 9; ++k)
                    p.y_places.offsets[k] = p.rows() * static_cast<std::int64_t>(k % 2);
            }
            p.fill(random);
            check_kron(p);
        }
}

TEST_CASE("items of many modes by columns and by rows, with factors transposed") {
    random_source random(14);
    int number_of_case = 0;
    for (const auto& [type, d, n] :
         {std::tuple{HERON_R_32F, 6, 6}, std::tuple{HERON_C_32F, 5, 5}, std::tuple{HERON_R_64F, 4, 9},
          std::tuple{HERON_C_64F, 4, 7}, std::tuple{HERON_R_64F, 8, 3}}) {
        const bool by_rows = ++number_of_case % 2 == 0;
        kron_problem p = square_kron(type, d, n, 4, random);
        for (std::size_t f = 0; f < p.factors.size(); ++f) {
            p.factors[f].op = static_cast<heron_operation>(f % 4);
            p.factors[f].ld = n + 1;
            p.factors[f].places = p.places(random, p.count, n * (n + 1), false, false);
        }
        p.vector_order = by_rows ? HERON_ORDER_ROW : HERON_ORDER_COLUMN;
        p.vectors = by_rows ? 2 : 1;
        p.ldx = p.ldy = by_rows ? 3 : p.rows();
        p.x_places = p.places(random, p.count, p.x_reach(), false, true);
        p.output = HERON_KRON_AXPBY;
        p.alpha = 0.5;
        p.beta = -1.5;
        p.y_places = p.places(random, p.count, p.y_reach(), true, false);
        p.fill(random);
        check_kron(p);
        p.output = HERON_KRON_ADD_ATOMIC;
        p.y_places = p.places(random, p.count, p.y_reach(), false, true);
        p.fill(random);
        check_kron(p);
    }
}

TEST_CASE("items too large for one pass") {
    random_source random(12);
    for (const auto& [d, n, type] : {std::tuple{6, 8, HERON_R_64F}, std::tuple{6, 8, HERON_R_32F},
                                     std::tuple{5, 8, HERON_R_64F}, std::tuple{6, 6, HERON_R_64F}}) {
        CAPTURE(d, n, type);
        kron_problem p = square_kron(type, d, n, 3, random);
        p.output = HERON_KRON_ADD;
        p.fill(random);
        check_kron(p);
        p.output = HERON_KRON_ADD_ATOMIC;
        p.y_places.unit = 0;
        p.y_places.offsets = {0, 0, 0};
        p.fill(random);
        check_kron(p);
        p = square_kron(type, d, n, 4, random);
        p.output = HERON_KRON_ADD_GROUPED;
        p.group_items = {2, 0, 3, 1};
        p.group_offsets = {0, 3, 3, 4};
        p.y_places.offsets.pop_back();
        p.fill(random);
        check_kron(p);
    }
}

TEST_CASE("items too large for one pass, of other sizes") {
    random_source random(16);
    for (const auto& [d, n, type] :
         {std::tuple{5, 9, HERON_R_32F}, std::tuple{5, 10, HERON_R_32F}, std::tuple{6, 7, HERON_R_32F},
          std::tuple{4, 16, HERON_R_32F}, std::tuple{4, 16, HERON_C_32F}, std::tuple{7, 5, HERON_R_64F},
          std::tuple{6, 9, HERON_R_64F}, std::tuple{8, 4, HERON_R_64F}, std::tuple{7, 4, HERON_C_64F},
          std::tuple{6, 6, HERON_C_64F}}) {
        CAPTURE(d, n, type);
        kron_problem p = square_kron(type, d, n, 3, random);
        p.output = HERON_KRON_AXPBY;
        p.alpha = 0.5;
        p.beta = -1.5;
        p.fill(random);
        check_kron(p);
        p.output = HERON_KRON_ADD_GROUPED;
        p.beta = 1.0;
        p.group_items = {2, 0, 1};
        p.group_offsets = {0, 2, 3};
        p.y_places.offsets.pop_back();
        p.fill(random);
        check_kron(p);
    }
}

TEST_CASE("long groups of large items, the same on every run") {
    random_source random(13);
    // Sums on chip, sums that find no room there, and items of two passes.
    for (const auto& [n, d, count, type] :
         {std::tuple{6, 5, 24, HERON_R_64F}, std::tuple{6, 5, 24, HERON_R_32F},
          std::tuple{7, 5, 24, HERON_R_64F}, std::tuple{5, 6, 24, HERON_R_64F},
          std::tuple{8, 5, 24, HERON_R_64F}, std::tuple{6, 6, 24, HERON_R_64F},
          std::tuple{8, 6, 9, HERON_R_64F}}) {
        CAPTURE(n, d, type);
        kron_problem p = square_kron(type, d, n, count, random);
        p.output = HERON_KRON_ADD_GROUPED;
        p.alpha = 0.5;
        p.group_offsets = {0, count / 2 + 1, count};
        for (std::int64_t k = 0; k < p.count; ++k) p.group_items.push_back(k);
        random.shuffle(p.group_items);
        p.y_places.offsets = {0, p.rows()};
        p.fill(random);
        check_repeated_kron(p, 1);
    }
}

TEST_CASE(
    "groups of items of two passes: rows of Y apart, several columns, groups that are empty or end early") {
    random_source random(14);
    for (const auto& [d, n, type] : {std::tuple{6, 8, HERON_R_32F}, std::tuple{5, 8, HERON_R_64F},
                                     std::tuple{6, 6, HERON_R_64F}, std::tuple{5, 9, HERON_R_64F}}) {
        CAPTURE(d, n, type);
        kron_problem p = square_kron(type, d, n, 12, random);
        p.output = HERON_KRON_ADD_GROUPED;
        p.vectors = 2;
        p.vector_order = HERON_ORDER_ROW;
        p.ldx = p.ldy = 2;
        p.x_places.unit = p.x_reach();
        p.group_offsets = {0, 1, 1, 12};
        p.y_places.unit = p.y_reach();
        p.y_places.offsets = {0, p.y_reach(), 2 * p.y_reach()};
        for (std::size_t k = 0; k < 12; ++k)
            p.x_places.offsets[k] = static_cast<std::int64_t>(k) * p.x_reach();
        p.fill(random);
        check_kron(p);
    }
}

TEST_CASE("groups of few items, in order and listed") {
    random_source random(17);
    for (const heron_type type : all_types)
        for (const auto& [d, n, count] :
             {std::tuple{1, 5, 700}, std::tuple{2, 3, 700}, std::tuple{2, 8, 700}, std::tuple{3, 4, 500},
              std::tuple{3, 7, 300}, std::tuple{3, 10, 60}, std::tuple{4, 6, 100}, std::tuple{4, 9, 20},
              std::tuple{5, 5, 40}, std::tuple{5, 8, 12}})
            for (const bool listed : {false, true}) {
                CAPTURE(d, n, type, listed);
                kron_problem p = square_kron(type, d, n, count, random);
                p.output = HERON_KRON_ADD_GROUPED;
                p.group_offsets = {0};
                while (p.group_offsets.back() < count)
                    p.group_offsets.push_back(std::min(p.group_offsets.back() + random.below(3), p.count));
                for (std::int64_t k = 0; listed && k < p.count; ++k) p.group_items.push_back(k);
                random.shuffle(p.group_items);
                p.y_places.offsets.clear();
                for (std::size_t g = 0; g + 1 < p.group_offsets.size(); ++g)
                    p.y_places.offsets.push_back(static_cast<std::int64_t>(g) * p.rows());
                p.fill(random);
                check_kron(p);
            }
}

// So many that blocks of a team that go ahead of others would be seen to read what is not there yet.
TEST_CASE("groups of items of two passes: long ones, the same on every run") {
    if (backend_name() != "cuda") return;
    random_source random(15);
    for (const auto& [d, n, count, type] :
         {std::tuple{6, 8, 96, HERON_R_64F}, std::tuple{6, 8, 96, HERON_R_32F},
          std::tuple{5, 8, 300, HERON_R_64F}, std::tuple{6, 6, 150, HERON_R_64F},
          std::tuple{5, 9, 210, HERON_R_64F}, std::tuple{6, 9, 25, HERON_R_64F},
          std::tuple{6, 10, 13, HERON_R_64F}, std::tuple{6, 10, 25, HERON_R_32F},
          std::tuple{6, 6, 250, HERON_R_32F}, std::tuple{4, 16, 190, HERON_R_32F},
          std::tuple{5, 8, 190, HERON_C_32F}, std::tuple{6, 10, 7, HERON_C_64F}}) {
        constexpr std::int64_t distinct = 5;
        CAPTURE(d, n, type);
        const std::int64_t items = is_short() ? std::max(count / 8, 13) : count;
        kron_problem p = square_kron(type, d, n, items, random);
        if (is_short() && p.rows() > 300'000) continue;
        p.output = HERON_KRON_ADD_GROUPED;
        p.group_offsets = {0, 1, items * 5 / 8, items};
        p.y_places.offsets = {0, p.rows(), 2 * p.rows()};
        p.x_places.kind = HERON_BATCH_INDEXED;
        for (std::int64_t k = 0; k < items; ++k)
            p.x_places.offsets[static_cast<std::size_t>(k)] = k % distinct * p.x_reach();
        p.fill(random);
        check_repeated_kron(p, is_short() ? 2 : 5);
    }
}

TEST_CASE("more items than a grid has blocks in one direction") {
    random_source random(5);
    for (const heron_kron_output output :
         {HERON_KRON_STORE, HERON_KRON_ADD_ATOMIC, HERON_KRON_ADD_GROUPED, HERON_KRON_ADD_DETERMINISTIC}) {
        kron_problem p = square_kron(HERON_R_64F, 2, 2, 70000, random);
        p.output = output;
        if (output == HERON_KRON_ADD_GROUPED) {
            p.group_offsets = {0, 3, 65536, 70000};
            p.y_places.offsets = {0, 4, 8};
        } else if (output != HERON_KRON_STORE) {
            p.y_places.kind = HERON_BATCH_INDEXED;
            p.y_places.unit = 1;
            for (std::int64_t& offset : p.y_places.offsets) offset = random.below(1000);
        }
        p.x_places.kind = HERON_BATCH_INDEXED;
        for (std::int64_t& offset : p.x_places.offsets) offset = 4 * random.below(70000);
        p.fill(random);
        check_kron(p);
    }
}

TEST_CASE("sizes of zero and one") {
    random_source random(6);
    const auto with = [&](std::int64_t m, std::int64_t n, std::int64_t count, std::int64_t vectors,
                          heron_kron_output output) {
        kron_problem p = square_kron(HERON_R_64F, 3, 2, count, random);
        p.factors[1].m = m;
        p.factors[1].n = n;
        p.factors[1].ld = std::max<std::int64_t>(m, 1);
        p.vectors = vectors;
        p.ldx = std::max<std::int64_t>(p.columns(), 1);
        p.ldy = std::max<std::int64_t>(p.rows(), 1);
        p.output = output;
        p.beta = 3.0;
        p.y_places.unit = std::max<std::int64_t>(p.y_reach(), 1);
        p.x_places.unit = p.x_reach();
        for (std::size_t k = 0; k < p.y_places.offsets.size(); ++k) {
            p.y_places.offsets[k] = static_cast<std::int64_t>(k) * p.y_places.unit;
            p.x_places.offsets[k] = static_cast<std::int64_t>(k) * p.x_places.unit;
        }
        if (output == HERON_KRON_ADD_GROUPED)
            p.group_offsets = {0, count / 2, count}, p.y_places.offsets = {0, p.y_places.unit};
        p.fill(random);
        check_kron(p);
    };
    for (int output = 0; output < 6; ++output) {
        const auto mode = static_cast<heron_kron_output>(output);
        with(2, 0, 5, 1, mode);
        with(0, 2, 5, 1, mode);
        with(0, 0, 5, 1, mode);
        with(1, 1, 5, 2, mode);
        with(1, 3, 5, 1, mode);
        with(3, 1, 1, 1, mode);
        with(2, 2, 0, 1, mode);
        with(2, 2, 4, 0, mode);
    }
}

TEST_CASE("alpha = 0 reads neither factors nor X, beta = 0 does not read Y") {
    random_source random(7);
    kron_problem p = square_kron(HERON_R_64F, 3, 3, 4, random);
    p.alpha = 0.0;
    p.beta = 2.0;
    p.output = HERON_KRON_AXPBY;
    p.fill(random);
    for (number& v : p.x) v = std::numeric_limits<double>::quiet_NaN();
    check_kron(p);
    kron_run run(p);
    run.desc().x.base = nullptr;
    run.desc().factors[0].a.base = nullptr;
    expect(run.run());
    p.alpha = 1.0;
    p.beta = 0.0;
    p.fill(random);
    for (number& v : p.y) v = std::numeric_limits<double>::quiet_NaN();
    check_kron(p);
}

TEST_CASE("overlapping outputs are added in groups where these are known, else atomically") {
    random_source random(11);
    for (const bool grouped : {true, false}) {
        kron_problem p = square_kron(HERON_R_64F, 3, 3, 20, random);
        p.output = grouped ? HERON_KRON_ADD_GROUPED : HERON_KRON_ADD_ATOMIC;
        if (grouped) {
            p.group_offsets = {0, 7, 20};
            p.y_places.offsets = {0, p.rows()};
        } else {
            p.y_places.kind = HERON_BATCH_INDEXED;
            for (std::int64_t& offset : p.y_places.offsets) offset = p.rows() * random.below(3);
        }
        p.fill(random);
        kron_run run(p);
        double bytes[2] = {};
        for (double& of_mode : bytes) {
            expect(heron_kronmult_cost(&run.desc(), nullptr, &of_mode));
            run.desc().output = HERON_KRON_ADD_OVERLAPPING;
        }
        CHECK(bytes[0] == bytes[1]);
        expect(run.run());
        CHECK(run.difference() == "");
    }
}

TEST_CASE("scalars on the device") {
    random_source random(9);
    const auto check = [](const kron_problem& p) {
        CAPTURE(p.type, p.output, p.algorithm, p.factors.size(), p.rows(), p.count, p.alpha, p.beta);
        kron_run run(p);
        expect(run.run(true));
        CHECK(run.difference() == "");
    };
    for (int k = 0; k < 80; ++k) check(random_problem(random, all_types[k % 4], k % 8 < 4));
    for (const auto& [n, d] : {std::pair{2, 3}, std::pair{4, 4}, std::pair{8, 3}, std::pair{6, 6}})
        for (const number beta : {number{0.0}, number{-1.5}}) {
            kron_problem p = square_kron(HERON_R_64F, d, n, n == 6 ? 2 : 20, random);
            p.output = HERON_KRON_AXPBY;
            p.alpha = 0.5;
            p.beta = beta;
            p.fill(random);
            if (beta == 0.0)
                for (number& v : p.y) v = std::numeric_limits<double>::quiet_NaN();
            check(p);
        }
}

TEST_CASE("alpha = 0 on the device: whatever is in factors and X, Y gets beta*Y") {
    random_source random(18);
    const auto check = [](kron_problem& p) {
        p.alpha = 0.0;
        for (number& v : p.x) v = std::numeric_limits<double>::quiet_NaN();
        for (kron_factor_case& f : p.factors)
            for (number& v : f.stored) v = std::numeric_limits<double>::infinity();
        CAPTURE(p.type, p.output, p.algorithm, p.factors.size(), p.rows(), p.count, p.beta);
        kron_run run(p);
        expect(run.run(true));
        CHECK(run.difference() == "");
    };
    for (int k = 0; k < 120; ++k) {
        kron_problem p = random_problem(random, all_types[k % 4], k % 8 < 4);
        check(p);
    }
    // Items on chip, of one pass, of two passes in one launch and of several.
    for (const auto& [n, d, type] :
         {std::tuple{2, 3, HERON_R_64F}, std::tuple{4, 4, HERON_R_64F}, std::tuple{8, 3, HERON_R_32F},
          std::tuple{6, 6, HERON_R_64F}, std::tuple{5, 8, HERON_R_64F}, std::tuple{16, 4, HERON_R_32F}})
        for (const heron_kron_output output :
             {HERON_KRON_STORE, HERON_KRON_AXPBY, HERON_KRON_ADD_ATOMIC, HERON_KRON_ADD_GROUPED}) {
            kron_problem p = square_kron(type, d, n, 8, random);
            p.output = output;
            if (output == HERON_KRON_AXPBY) p.beta = -1.5;
            if (output == HERON_KRON_ADD_GROUPED) {
                p.group_offsets = {0, 3, 8};
                p.y_places.offsets = {0, p.rows()};
            }
            p.fill(random);
            check(p);
        }
}

TEST_CASE("grouped and deterministic sums are the same on every run") {
    random_source random(8);
    for (const auto& [n, d, count] :
         {std::tuple{2, 3, 997}, std::tuple{4, 3, 997}, std::tuple{3, 4, 997}, std::tuple{5, 3, 997},
          std::tuple{7, 2, 997}, std::tuple{9, 3, 200}, std::tuple{3, 6, 200}})
        for (const heron_type type : all_types)
            for (const heron_kron_output output : {HERON_KRON_ADD_GROUPED, HERON_KRON_ADD_DETERMINISTIC}) {
                kron_problem p = square_kron(type, d, n, count, random);
                p.output = output;
                if (output == HERON_KRON_ADD_GROUPED) {
                    p.group_offsets = {0, 1, 100, 100, count - 7, count};
                    p.y_places.offsets = {0, p.rows(), 2 * p.rows(), 3 * p.rows(), 4 * p.rows()};
                } else {
                    p.y_places.kind = HERON_BATCH_POINTERS;
                    for (std::int64_t& offset : p.y_places.offsets) offset = p.rows() * random.below(5);
                }
                p.fill(random);
                check_repeated_kron(p, 3);
            }
}

// Items of a thread, of a warp and of a block.
TEST_CASE("outputs that overlap partly are added one after the other, the same on every run") {
    random_source random(19);
    for (const auto& [n, d, count] : {std::tuple{2, 3, 200}, std::tuple{4, 3, 90}, std::tuple{5, 3, 90},
                                      std::tuple{8, 4, 20}, std::tuple{6, 5, 7}})
        for (const heron_type type : {HERON_R_64F, HERON_C_32F}) {
            CAPTURE(d, n, type);
            kron_problem p = square_kron(type, d, n, count, random);
            p.output = HERON_KRON_ADD_DETERMINISTIC;
            p.alpha = 0.5;
            p.y_places.kind = HERON_BATCH_INDEXED;
            p.y_places.unit = 1;
            for (std::int64_t& offset : p.y_places.offsets) offset = p.rows() / 2 * random.below(5);
            p.fill(random);
            check_repeated_kron(p, 2);
        }
}

// `count` items of d factors n x n with all elements a, on vectors of ones; y is indexed from its end.
struct large_batch {
    large_batch(int d, std::int64_t n, std::int64_t items, float a)
        : count(items),
          size(power(n, d)),
          factor(std::vector<float>(static_cast<std::size_t>(n * n), a)),
          x(std::vector<float>(static_cast<std::size_t>(size), 1.0f)),
          y(static_cast<std::size_t>(size * items) * sizeof(float)),
          list(descending(items)),
          value(std::pow(static_cast<float>(n) * a, static_cast<float>(d))) {
        const std::vector<std::int64_t> sizes(static_cast<std::size_t>(d), n);
        expect(heron_kronmult_init(&desc, HERON_R_32F, d, sizes.data(), sizes.data(), count));
        for (int i = 0; i < d; ++i) desc.factors[i].a = heron_batch_strided(factor.data(), 0);
        desc.x = heron_batch_strided(x.data(), 0);
        desc.y = heron_batch_indexed(y.data(), size, list.data(), HERON_INDEX_32);
    }

    static std::vector<std::int32_t> descending(std::int64_t items) {
        std::vector<std::int32_t> ids(static_cast<std::size_t>(items));
        for (std::size_t k = 0; k < ids.size(); ++k) ids[k] = static_cast<std::int32_t>(ids.size() - 1 - k);
        return ids;
    }

    bool item_is_right(std::int64_t item) const {
        std::vector<float> part(static_cast<std::size_t>(size));
        expect(heron_copy(native(), part.data(), static_cast<const float*>(y.data()) + item * size,
                          part.size() * sizeof(float)));
        return std::all_of(part.begin(), part.end(), [&](float v) { return v == value; });
    }

    std::int64_t count, size;
    device_array<float> factor, x;
    device_memory y;
    device_array<std::int32_t> list;
    float value;
    heron_kronmult_desc desc{};
};

std::uint64_t free_memory() {
    const char* name = nullptr;
    int device = 0;
    heron_get_backend(native(), &name, &device);
    heron_device_info info{};
    heron_device_query(name, device, &info);
    return info.memory_free;
}

TEST_CASE("more than 2^31 elements, and 100 million items") {
    constexpr std::uint64_t needed = std::uint64_t{20} << 30;
    if (backend_name() != "cuda" || free_memory() < needed) {
        WARN("skipped: needs a CUDA device with 20 GiB of free memory");
        return;
    }
    for (const auto& [d, n, count] : {std::tuple{3, 8, 4200000}, std::tuple{3, 2, 100000000}}) {
        CAPTURE(d, n, count);
        const large_batch batch(d, n, count, 0.25f);
        std::size_t bytes = 1;
        expect(heron_kronmult_workspace(native(), &batch.desc, &bytes));
        CHECK(bytes == 0);
        const auto run = [&] {
            expect(heron_kronmult(native(), nullptr, &batch.desc, nullptr, nullptr, 0));
            expect(heron_synchronize(native()));
        };
        run();  // the driver loads the kernel
        const std::uint64_t free_before = free_memory();
        run();
        // A list of addresses takes more; the driver may take a little at any time.
        CHECK(free_memory() + static_cast<std::uint64_t>(count) * sizeof(void*) / 2 > free_before);
        for (const std::int64_t item : {std::int64_t{0}, batch.count / 2, batch.count - 1})
            CHECK(batch.item_is_right(item));
    }
}

TEST_CASE("the workspace does not grow with the batch") {
    for (const auto& [d, n] : {std::pair{3, 2}, std::pair{3, 8}, std::pair{6, 8}, std::pair{4, 11}}) {
        CAPTURE(d, n);
        const std::vector<std::int64_t> sizes(static_cast<std::size_t>(d), n);
        std::size_t bytes[2] = {};
        for (int i = 0; i < 2; ++i) {
            heron_kronmult_desc desc;
            expect(heron_kronmult_init(&desc, HERON_R_64F, d, sizes.data(), sizes.data(),
                                       i == 0 ? 1000000 : 100000000));
            double nothing = 0;
            for (int f = 0; f < d; ++f) desc.factors[f].a = heron_batch_strided(&nothing, 0);
            desc.x = desc.y = heron_batch_indexed(&nothing, power(n, d), &nothing, HERON_INDEX_32);
            desc.output = HERON_KRON_ADD_ATOMIC;
            expect(heron_kronmult_workspace(native(), &desc, &bytes[i]));
        }
        CHECK(bytes[0] == bytes[1]);
    }
}

TEST_CASE("the workspace's size is the same whatever the number of threads, and serves all") {
    random_source random(32);
    kron_problem p = square_kron(HERON_R_64F, 3, 8, 500, random);
    p.fill(random);
    kron_run run(p);
    expect(heron_set_threads(native(), 1));
    const std::size_t bytes = run.workspace_bytes();
    expect(heron_set_threads(native(), 64));
    CHECK(run.workspace_bytes() == bytes);
    expect(run.run());
    expect(heron_set_threads(native(), 0));
    CHECK(run.difference() == "");
}

TEST_CASE("bad arguments are refused, and nothing is written") {
    random_source random(10);
    const kron_problem p = square_kron(HERON_R_64F, 3, 3, 4, random);
    kron_run run(p);
    const heron_kronmult_desc good = run.desc();
    const auto before = run.y_bytes();
    const auto refuse = [&](auto&& spoil, heron_status status, const std::string& word) {
        heron_kronmult_desc bad = good;
        spoil(bad);
        log_capture log;
        std::vector<unsigned char> large(1 << 20);
        expect(heron_kronmult(native(), nullptr, &bad, nullptr, large.data(), large.size()), status);
        INFO(word);
        CHECK(log.contains(word));
        CHECK(run.y_bytes() == before);
    };
    using desc = heron_kronmult_desc;
    refuse([](desc& d) { d.ndim = 0; }, HERON_INVALID_VALUE, "ndim");
    refuse([](desc& d) { d.ndim = 9; }, HERON_INVALID_VALUE, "ndim");
    refuse([](desc& d) { d.count = -1; }, HERON_INVALID_VALUE, "count");
    refuse([](desc& d) { d.vectors = -1; }, HERON_INVALID_VALUE, "vectors");
    refuse([](desc& d) { d.factors[1].m = -1; }, HERON_INVALID_VALUE, "factors[1].m");
    refuse([](desc& d) { d.factors[2].n = -1; }, HERON_INVALID_VALUE, "factors[2].n");
    refuse([](desc& d) { d.factors[2].ld = 2; }, HERON_INVALID_VALUE, "factors[2].ld");
    refuse([](desc& d) { d.factors[0].op = static_cast<heron_operation>(7); }, HERON_INVALID_VALUE,
           "factors[0].op");
    refuse([](desc& d) { d.factors[0].a.base = nullptr; }, HERON_INVALID_VALUE, "factors[0].a");
    refuse([](desc& d) { d.factors[0].a.kind = static_cast<heron_batch_kind>(3); }, HERON_INVALID_VALUE,
           "factors[0].a");
    refuse([](desc& d) { d.x.base = nullptr; }, HERON_INVALID_VALUE, "x.base");
    refuse([](desc& d) { d.y.base = nullptr; }, HERON_INVALID_VALUE, "y.base");
    refuse([](desc& d) { d.y = heron_batch_pointers(nullptr); }, HERON_INVALID_VALUE, "y.list");
    refuse([](desc& d) { d.y.stride = 0; }, HERON_INVALID_VALUE, "overlap");
    refuse([](desc& d) { d.y.stride = 26; }, HERON_INVALID_VALUE, "overlap");
    refuse([](desc& d) { d.x.stride = -1; }, HERON_INVALID_VALUE, "x.stride");
    refuse([](desc& d) { d.vectors = 2, d.ldx = 26; }, HERON_INVALID_VALUE, "ldx");
    refuse([](desc& d) { d.vectors = 2, d.ldy = 26; }, HERON_INVALID_VALUE, "ldy");
    refuse([](desc& d) { d.type = HERON_R_16F; }, HERON_NOT_SUPPORTED, "type");
    refuse([](desc& d) { d.output = static_cast<heron_kron_output>(7); }, HERON_INVALID_VALUE, "output");
    refuse([](desc& d) { d.algorithm = static_cast<heron_kron_algorithm>(4); }, HERON_INVALID_VALUE,
           "algorithm");
    refuse([](desc& d) { d.output = HERON_KRON_AXPBY; }, HERON_INVALID_VALUE, "beta");
    refuse([](desc& d) { d.output = HERON_KRON_ADD_GROUPED, d.group_count = 1; }, HERON_INVALID_VALUE,
           "group_offsets");
    refuse(
        [](desc& d) {
            d.factors[0].m = d.factors[1].m = d.factors[2].m = std::int64_t{1} << 30;
            d.factors[0].ld = d.factors[1].ld = d.factors[2].ld = std::int64_t{1} << 30;
        },
        HERON_INSUFFICIENT_RESOURCES, "63 bits");
    // Groups that only the contents show to be none.
    const auto group = [&](std::vector<std::int32_t> offsets, std::vector<std::int32_t> items,
                           const std::string& word) {
        const device_array<std::int32_t> offset_list(offsets), item_list(items);
        refuse(
            [&](desc& d) {
                d.output = HERON_KRON_ADD_GROUPED;
                d.group_count = static_cast<std::int64_t>(offsets.size()) - 1;
                d.group_offsets = offset_list.data();
                d.group_items = items.empty() ? nullptr : item_list.data();
                d.group_type = HERON_INDEX_32;
            },
            HERON_INVALID_VALUE, word);
    };
    group({0, 3, 2, 4}, {}, "group_offsets");
    group({0, 5}, {}, "group_offsets");
    group({1, 4}, {}, "group_offsets");
    group({0, 4}, {0, 1, 2, 4}, "group_items");
    group({0, 4}, {0, -1, 2, 3}, "group_items");
    // Overlap that only the contents show.
    device_array<std::int32_t> twice(std::vector<std::int32_t>{0, 1, 1, 2});
    refuse([&](desc& d) { d.y = heron_batch_indexed(d.y.base, 27, twice.data(), HERON_INDEX_32); },
           HERON_INVALID_VALUE, "items 1 and 2 overlap");
    expect(heron_kronmult(nullptr, nullptr, &good, nullptr, nullptr, 0), HERON_NOT_INITIALIZED);
    expect(heron_kronmult(native(), nullptr, nullptr, nullptr, nullptr, 0), HERON_NOT_INITIALIZED);
    expect(heron_kronmult_workspace(native(), &good, nullptr), HERON_INVALID_VALUE);
    // Too small a workspace, where one is needed.
    heron_kronmult_desc chained = good;
    chained.algorithm = HERON_KRON_993_FORWARD;
    std::size_t bytes = 0;
    expect(heron_kronmult_workspace(native(), &chained, &bytes));
    if (bytes > 0) {
        workspace work(bytes);
        expect(heron_kronmult(native(), nullptr, &chained, nullptr, work.data(), bytes - 1),
               HERON_INSUFFICIENT_RESOURCES);
        expect(heron_kronmult(native(), nullptr, &chained, nullptr, nullptr, bytes), HERON_INVALID_VALUE);
        CHECK(run.y_bytes() == before);
    }
    expect(heron_kronmult(native(), nullptr, &good, nullptr, nullptr, 0),
           run.workspace_bytes() > 0 ? HERON_INSUFFICIENT_RESOURCES : HERON_SUCCESS);
}

TEST_CASE("the cost of a batch") {
    const std::int64_t m[] = {2, 3, 4}, n[] = {4, 3, 2};
    heron_kronmult_desc desc;
    expect(heron_kronmult_init(&desc, HERON_R_64F, 3, m, n, 10));
    double operations = 0, bytes = 0;
    expect(heron_kronmult_cost(&desc, &operations, &bytes));
    // 2x4 first: 2*3*2*4, then 3x3: 2*3*2*3, then 4x2: 2*3*4*2 multiply-adds.
    CHECK(operations == 10 * 2.0 * (48 + 36 + 48));
    CHECK(bytes == 10 * 8.0 * (24 + 24));
    desc.output = HERON_KRON_ADD;
    expect(heron_kronmult_cost(&desc, nullptr, &bytes));
    CHECK(bytes == 10 * 8.0 * (24 + 48));
}
