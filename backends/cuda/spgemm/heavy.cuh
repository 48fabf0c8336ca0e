#pragma once
// Heavy rows: of results with few rows and many products for each element, such as A*A^T of a wide A. One row
// has more products than a thousandth of all, or a four thousandth where C is narrow, so that a group of
// lanes or a block for each would leave most of the device idle. Several blocks take a segment of a row of A
// each: the columns of C are found by bitmaps that are joined in memory, the values by partial sums, which
// are added in the order of the segments. So the sums have the same bits on every run. Memory is bounded by
// the number of such rows, and by that of partial sums.
#include "launch.cuh"

namespace heron::HERON_LEVEL {

// Rows of more products than `limit`; fewer than `most` of them exist. A warp takes an element of A after the
// other, some 0.5 us each, so that longer rows than those that have ranks would keep it from ending.
struct heavy_rows {
    static constexpr int64_t fewest_products = rank_space::most_products;
    static constexpr int64_t most_tasks = 2048;     // blocks that share rows
    static constexpr int64_t least_elements = 128;  // of A that a task is worth
    static constexpr int64_t longest_alone = 1024;  // row of B that a group of lanes takes alone
    static constexpr int most_sums = 1024;          // that a warp holds

    // Bounded by the memory of their columns.
    static int64_t most(const heron_spgemm_args& args) {
        constexpr int64_t words_of_all = int64_t{1} << 20;
        return std::clamp<int64_t>(words_of_all / words(args), 1024, 4096);
    }
    static int64_t limit(const heron_spgemm_args& args) {
        const int64_t share = args.products / most(args);
        return share > fewest_products ? share : fewest_products;
    }
    // The same in all phases.
    static bool can_exist(const heron_spgemm_args& args) {
        return is_narrow(args) && args.products > limit(args) &&
               (!knows_products(args) || args.longest > limit(args));
    }
    static int64_t words(const heron_spgemm_args& args) {
        return ceil_div(ceil_div(args.b.matrix.cols, 32), spgemm_threads) * spgemm_threads;
    }
};

static __device__ inline int64_t wanted_segments(int64_t elements) {
    return (elements + heavy_rows::least_elements - 1) / heavy_rows::least_elements;
}

// How many blocks share the rows of a list: so many segments for each part of a row, and fewer where A's row
// is short.
struct heavy_division {
    __device__ heavy_division(int rows, int parts_per_row, int64_t most_tasks) : parts(parts_per_row) {
        const int64_t all = static_cast<int64_t>(rows) * parts;
        segments = all > 0 && most_tasks > all ? most_tasks / all : 1;
        tasks = all * segments;
    }
    __device__ int row(int64_t task) const { return static_cast<int>(task / segments / parts); }
    __device__ int64_t part(int64_t task) const { return task / segments % parts; }
    __device__ int64_t segment(int64_t task) const { return task % segments; }
    __device__ int64_t segments_of(int64_t elements) const {
        const int64_t wanted = wanted_segments(elements);
        return wanted < 1 ? 1 : wanted < segments ? wanted : segments;
    }

    int64_t parts, segments, tasks;
};

// How blocks share the parts of the rows of a list for their values. Of few rows each has segments by its
// share of their elements of A, so that partial sums are worth their memory; many have the same number.
// Every thread of the block makes one.
class heavy_shares {
  public:
    static constexpr int few = 128;
    // Of segments, and of those with partial sums, how many the rows before have.
    struct memory {
        uint16_t segments[few + 1], partials[few + 1];
    };
    struct place {
        int row, part, segment;
    };

    template <class OT, class IT>
    __device__ heavy_shares(const row_pattern<OT, IT>& a, const row_list& list, int parts_per_row,
                            int64_t most_partials, memory& shared)
        : same_(list.size(), parts_per_row, most_partials), before_(shared), rows_(list.size()) {
        if (!are_few()) return;
        const int i = static_cast<int>(threadIdx.x);
        const int row = i < rows_ ? list.rows()[i] : 0;
        const int64_t elements = i < rows_ ? a.begin(row + 1) - a.begin(row) : 0;
        int64_t all = 0, total = 0;
        scan_block(elements, &all);
        const int64_t share = all > 0 ? elements * (most_partials / parts_per_row) / all : 0;
        const int64_t own = i < rows_ ? max(int64_t{1}, min(share, wanted_segments(elements))) : 0;
        const int64_t before = scan_block(own + (own > 1 ? own << 32 : 0), &total);
        if (i <= rows_) {
            before_.segments[i] = static_cast<uint16_t>(before);
            before_.partials[i] = static_cast<uint16_t>(before >> 32);
        }
        __syncthreads();
        same_.tasks = before_.segments[rows_] * same_.parts;
    }
    __device__ int64_t tasks() const { return same_.tasks; }
    __device__ place at(int64_t task) const {
        if (!are_few())
            return {same_.row(task), static_cast<int>(same_.part(task)),
                    static_cast<int>(same_.segment(task))};
        const int number = static_cast<int>(task / same_.parts);
        int low = 0, high = rows_;
        while (high - low > 1) {
            const int middle = (low + high) / 2;
            (before_.segments[middle] <= number ? low : high) = middle;
        }
        return {low, static_cast<int>(task % same_.parts), number - before_.segments[low]};
    }
    // Of a row of so many elements of A.
    __device__ int segments_of(int row, int64_t elements) const {
        return are_few() ? before_.segments[row + 1] - before_.segments[row]
                         : static_cast<int>(same_.segments_of(elements));
    }
    // The first of the partial sums of a part, a block each.
    __device__ int64_t partials_of(int row, int64_t part) const {
        if (!are_few()) return (row * same_.parts + part) * same_.segments;
        return before_.partials[row] * same_.parts + part * segments_of(row, 0);
    }

  private:
    __device__ bool are_few() const { return rows_ <= few; }

    heavy_division same_;
    memory& before_;
    int rows_;
};

// Calls f(column) for a slice of each row of B of more than `longest_taken` elements that elements
// [begin, end) of A name. The whole block takes one after the other.
template <class OT, class IT, class F>
static __device__ void for_each_long_product(const row_pattern<OT, IT>& a, const row_pattern<OT, IT>& b,
                                             int64_t begin, int64_t end, int64_t longest_taken, int64_t slice,
                                             int64_t slices, F&& f) {
    __shared__ uint8_t numbers[spgemm_threads];  // of elements with such rows, counted from `start`
    __shared__ int long_count;
    static_assert(spgemm_threads <= 256);
    const int thread = static_cast<int>(threadIdx.x);
    for (int64_t start = begin; start < end; start += spgemm_threads) {
        if (thread == 0) long_count = 0;
        __syncthreads();
        if (start + thread < end) {
            const int64_t inner = a.column(start + thread);
            if (b.begin(inner + 1) - b.begin(inner) > longest_taken)
                numbers[atomicAdd(&long_count, 1)] = static_cast<uint8_t>(thread);
        }
        __syncthreads();
        for (int n = 0; n < long_count; ++n) {
            const int64_t inner = a.column(start + numbers[n]);
            const int64_t row_begin = b.begin(inner), row_end = b.begin(inner + 1);
            const int64_t from = piece_begin(row_begin, row_end, slice, slices);
            const int64_t to = piece_begin(row_begin, row_end, slice + 1, slices);
            for_each_column(b, static_cast<OT>(from), thread, static_cast<int>(to - from), spgemm_threads, f);
        }
        __syncthreads();
    }
}

// Sets the bits of the columns of row i of the list in marks[i*words, (i + 1)*words), which must be 0 before.
// Blocks that a row of few elements of A would leave idle take slices of its long rows of B.
template <int lanes, class OT, class IT>
__global__ void __launch_bounds__(spgemm_threads)
    mark_heavy_rows(row_pattern<OT, IT> a, row_pattern<OT, IT> b, row_list list, int words, unsigned* marks) {
    extern __shared__ unsigned shared_words[];
    const heavy_division division(list.size(), 1, heavy_rows::most_tasks);
    const int* const rows = list.rows();
    for (int64_t task = blockIdx.x; task < division.tasks; task += gridDim.x) {
        const int64_t begin = a.begin(rows[division.row(task)]), end = a.begin(rows[division.row(task)] + 1);
        const int64_t segments = division.segments_of(end - begin), slices = division.segments / segments;
        const int64_t segment = division.segment(task) / slices, slice = division.segment(task) % slices;
        if (segment >= segments) continue;
        for (int w = threadIdx.x; w < words; w += spgemm_threads) shared_words[w] = 0;
        __syncthreads();
        const int64_t segment_begin = piece_begin(begin, end, segment, segments);
        const int64_t segment_end = piece_begin(begin, end, segment + 1, segments);
        const auto mark = [&](IT column) {
            const unsigned bit = 1u << (column % 32);
            if (!(static_cast<volatile unsigned*>(shared_words)[column / 32] & bit))
                atomicOr(shared_words + column / 32, bit);
        };
        if (slice == 0)
            for_each_product<lanes>(a, b, segment_begin, segment_end, group_share::of_block<lanes>(), mark,
                                    heavy_rows::longest_alone);
        for_each_long_product(a, b, segment_begin, segment_end, heavy_rows::longest_alone, slice, slices,
                              mark);
        __syncthreads();
        unsigned* const of_row = marks + static_cast<int64_t>(division.row(task)) * words;
        for (int w = threadIdx.x; w < words; w += spgemm_threads)
            if (shared_words[w] != 0) atomicOr(of_row + w, shared_words[w]);
        __syncthreads();
    }
}

// Each of the groups has sums of its own.
template <class CT>
static __host__ __device__ size_t heavy_bytes(int groups, int most, int words) {
    return static_cast<size_t>(groups) * most * sizeof(CT) +
           static_cast<size_t>(words) * (sizeof(unsigned) + sizeof(uint16_t));
}

// Values of rows whose columns are known, up to `most` of a row by a block. Each group of lanes adds up a
// piece of the segment in sums of its own.
template <int lanes, class VT, class CT, class OT, class IT>
__global__ void __launch_bounds__(spgemm_threads, sizeof(CT) == 16 ? 2 : 3)
    multiply_heavy_rows(const __grid_constant__ sparse_product<VT, CT, OT, IT> p, row_list list,
                        const unsigned long long* unordered, int most, int parts_per_row, int words,
                        int64_t most_partials, CT* partials) {
    // Elements of B that a lane reads before it adds the first: of so many rows, and of each so many.
    constexpr int ahead = 4, each = lanes == warp_size ? 2 : 1;
    constexpr int groups = spgemm_threads / lanes;
    extern __shared__ int4 shared_quads[];
    CT* const sums = reinterpret_cast<CT*>(shared_quads);
    column_places<IT> places{reinterpret_cast<unsigned*>(sums + groups * most)};
    places.before = reinterpret_cast<uint16_t*>(places.bits + words);
    if (*unordered) return;
    const CT alpha = p.alpha_now();
    const CT beta = p.beta_now();
    const bool adds = !equal(alpha, CT{});
    const lane_group<lanes> group;
    const int thread = static_cast<int>(threadIdx.x), number = thread / lanes;
    CT* const own = sums + number * most;
    __shared__ heavy_shares::memory memory;
    const heavy_shares shares(p.a, list, parts_per_row, most_partials, memory);
    const int* const rows = list.rows();
    for (int64_t task = blockIdx.x; task < shares.tasks(); task += gridDim.x) {
        const heavy_shares::place where = shares.at(task);
        const int64_t row = rows[where.row];
        const int64_t begin = p.a.begin(row), end = p.a.begin(row + 1);
        const int segment = where.segment, segments = shares.segments_of(where.row, end - begin);
        const int64_t first = p.offsets[row] + where.part * most;
        const int64_t left = p.offsets[row + 1] - first;
        if (left <= 0 || segment >= segments) continue;
        const int length = left < most ? static_cast<int>(left) : most;
        const bool is_whole = p.offsets[row + 1] - p.offsets[row] == length;
        for (int k = group.lane; k < length; k += lanes) own[k] = CT{};
        places.find(p.columns + first, length, static_cast<IT>(p.base));
        __syncthreads();
        const IT origin = static_cast<IT>(places.low + static_cast<IT>(p.b.base));
        const auto value_at = [&](OT l) { return p.b_values[p.b_permutation ? p.b_permutation[l] : l]; };
        const auto add_product = [&](CT a, IT index, VT b) {
            CT& sum = own[places.place_of(static_cast<int>(index - origin))];
            sum = mad(a, p.b_value(b), sum);
        };
        const int64_t segment_begin = piece_begin(begin, end, segment, segments);
        const int64_t segment_end = piece_begin(begin, end, segment + 1, segments);
        const int64_t own_end = piece_begin(segment_begin, segment_end, number + 1, groups);
        for (int64_t start = piece_begin(segment_begin, segment_end, number, groups); adds && start < own_end;
             start += lanes) {
            // Each lane looks up one element of A; then those whose rows of B have columns of this part are
            // worked on one after the other.
            OT from_of_lane = 0;
            int length_of_lane = 0;
            CT a_of_lane{};
            if (start + group.lane < own_end) {
                const int64_t inner = p.a.column(start + group.lane);
                int64_t from = p.b.begin(inner), to = p.b.begin(inner + 1);
                if (!is_whole) {
                    from = lower_bound(p.b, from, to, static_cast<int64_t>(places.begins_at));
                    to = lower_bound(p.b, from, to, static_cast<int64_t>(places.high) + 1);
                }
                from_of_lane = static_cast<OT>(from);
                length_of_lane = static_cast<int>(to - from);
                a_of_lane = p.a_at(start + group.lane);
            }
            for (unsigned left = group.ballot(length_of_lane > 0); left != 0;) {
                int of_lane[ahead], lengths[ahead];
                OT from[ahead];
                IT indices[ahead][each];
                VT values[ahead][each];
#pragma unroll
                for (int u = 0; u < ahead; ++u) {
                    of_lane[u] = left != 0 ? __ffs(static_cast<int>(left)) - 1 : 0;
                    from[u] = group.broadcast(from_of_lane, of_lane[u]);
                    lengths[u] = left != 0 ? group.broadcast(length_of_lane, of_lane[u]) : 0;
                    left &= left - 1;
#pragma unroll
                    for (int v = 0; v < each; ++v) {
                        const int at = v * lanes + group.lane;
                        const OT l = at < lengths[u] ? from[u] + at : 0;
                        indices[u][v] = p.b.indices[l];
                        values[u][v] = value_at(l);
                    }
                }
#pragma unroll
                for (int u = 0; u < ahead; ++u) {
                    const CT a = group.broadcast(a_of_lane, of_lane[u]);
#pragma unroll
                    for (int v = 0; v < each; ++v)
                        if (v * lanes + group.lane < lengths[u]) add_product(a, indices[u][v], values[u][v]);
                    for (int l = group.lane + each * lanes; l < lengths[u]; l += lanes)
                        add_product(a, p.b.indices[from[u] + l], value_at(from[u] + l));
                    group.sync();
                }
            }
        }
        __syncthreads();
        const int64_t partial = shares.partials_of(where.row, where.part) + segment;
        for (int k = thread; k < length; k += spgemm_threads) {
            CT sum = sums[k];
            for (int g = 1; g < groups; ++g) sum = add(sum, sums[g * most + k]);
            if (segments == 1)
                p.write(first + k, sum, alpha, beta);
            else
                partials[partial * most + k] = sum;
        }
        __syncthreads();
    }
}

// Adds up what the segments of a row have left.
template <class VT, class CT, class OT, class IT>
__global__ void __launch_bounds__(spgemm_threads)
    join_heavy_rows(const __grid_constant__ sparse_product<VT, CT, OT, IT> p, row_list list,
                    const unsigned long long* unordered, int most, int parts_per_row, int64_t most_partials,
                    const CT* partials) {
    if (*unordered) return;
    const CT alpha = p.alpha_now();
    const CT beta = p.beta_now();
    __shared__ heavy_shares::memory memory;
    const heavy_shares shares(p.a, list, parts_per_row, most_partials, memory);
    const int* const rows = list.rows();
    const int64_t parts = static_cast<int64_t>(list.size()) * parts_per_row;
    for (int64_t number = blockIdx.x; number < parts; number += gridDim.x) {
        const int i = static_cast<int>(number / parts_per_row);
        const int64_t row = rows[i], part = number % parts_per_row;
        const int64_t segments = shares.segments_of(i, p.a.begin(row + 1) - p.a.begin(row));
        const int64_t partial = shares.partials_of(i, part);
        const int64_t first = p.offsets[row] + part * most;
        const int64_t left = p.offsets[row + 1] - first;
        if (segments == 1) continue;
        for (int k = threadIdx.x; k < left && k < most; k += spgemm_threads) {
            CT sum = partials[partial * most + k];
            for (int64_t s = 1; s < segments; ++s) sum = add(sum, partials[(partial + s) * most + k]);
            p.write(first + k, sum, alpha, beta);
        }
    }
}

// products[row], and the facts of all rows.
template <class OT, class IT>
void count_products(cuda_device& device, const heron_spgemm_args& args, int64_t* products, row_facts* facts) {
    constexpr int64_t long_row = 64, segment = 1024;
    const row_pattern<OT, IT> a(args.a.matrix);
    const auto* const b_offsets = static_cast<const OT*>(args.b.matrix.offsets);
    const int64_t nnz = args.a.matrix.nnz, blocks = ceil_div(a.rows, counted_rows);
    if (nnz < long_row * a.rows || blocks >= device.multiprocessors() || nnz < segment) {
        device.fill(facts, 0, sizeof *facts);
        device.launch_blocks(count_row_products<OT, IT>, blocks, spgemm_threads, 0, a, b_offsets,
                             plans::row_limit(args), products, facts);
        return;
    }
    const int64_t segments = ceil_div(nnz, a.rows * segment);
    device.fill(products, 0, static_cast<size_t>(a.rows) * sizeof *products);
    device.launch_blocks(add_segment_products<OT, IT>, a.rows * segments, spgemm_threads, 0, a, b_offsets,
                         segments, products);
    device.launch_blocks(measure_products, 1, spgemm_threads, 0, static_cast<const int64_t*>(products),
                         a.rows, plans::row_limit(args), facts);
}

// Products per row, counted again where those of the estimate may be gone.
template <class OT, class IT>
class placed_products {
  public:
    placed_products(workspace_layout& layout, const heron_spgemm_args& args, bool is_wanted) : args_(args) {
        if (!is_wanted) return;
        products_ = layout.take<int64_t>(args.a.matrix.rows);
        facts_ = layout.take<row_facts>(1);
    }
    const int64_t* count(spgemm_launcher& launcher) const {
        count_products<OT, IT>(launcher.device(), args_, products_, facts_);
        return products_;
    }

  private:
    const heron_spgemm_args& args_;
    int64_t* products_ = nullptr;
    row_facts* facts_ = nullptr;
};

// Columns of heavy rows in a workspace, and the launches that find rows by them.
class placed_marks {
  public:
    placed_marks(workspace_layout& layout, const heron_spgemm_args& args) : args_(args) {
        if (!heavy_rows::can_exist(args)) return;
        const int64_t rows = std::min(args.a.matrix.rows, heavy_rows::most(args));
        size_ = rows * heavy_rows::words(args);
        marks_ = layout.take<unsigned>(size_);
        are_there_ = true;
    }

    // Whether rows of the product can be heavy.
    explicit operator bool() const { return are_there_; }
    // Rows of more products than this are.
    int64_t light() const { return are_there_ ? heavy_rows::limit(args_) : INT64_MAX; }

    // Lengths or columns of the rows.
    template <bool with_columns, class OT, class IT>
    void find(spgemm_launcher& launcher, const row_list& list, const row_results<IT>& results) const {
        const row_pattern<OT, IT> a(args_.a.matrix), b(args_.b.matrix);
        const auto words = static_cast<int>(heavy_rows::words(args_));
        cuda_device& device = launcher.device();
        device.fill(marks_, 0, static_cast<size_t>(size_) * sizeof *marks_);
        device.launch_blocks(
            has_short_rows(args_) ? mark_heavy_rows<8, OT, IT> : mark_heavy_rows<warp_size, OT, IT>,
            launcher.blocks_for(heavy_rows::most_tasks, 1), spgemm_threads, static_cast<size_t>(words) * 4, a,
            b, list, words, marks_);
        find_rows_by_bitmaps<with_columns, OT, IT>(launcher, args_, list, spgemm_threads, results, marks_);
    }

  private:
    const heron_spgemm_args& args_;
    unsigned* marks_ = nullptr;
    int64_t size_ = 0;
    bool are_there_ = false;
};

// Values of heavy rows.
template <class CT, class OT, class IT>
class heavy_values {
  public:
    heavy_values(workspace_layout& layout, spgemm_launcher& launcher, const heron_spgemm_args& args,
                 bool is_wanted)
        : args_(args), words_(static_cast<int>(ceil_div(args.b.matrix.cols, 32))) {
        if (!is_wanted) return;
        while (most_ / 2 >= args.b.matrix.cols && most_ > warp_size) most_ /= 2;
        while (static_cast<int64_t>(bytes()) > launcher.shared_limit()) most_ /= 2;
        // As many as A has elements, so that workspaces do not grow with the products.
        tasks_ = std::clamp<int64_t>(args.a.matrix.nnz / most_, 1, heavy_rows::most_tasks);
        partials_ = layout.take<CT>(tasks_ * most_);
    }

    void multiply(spgemm_launcher& launcher, const sparse_product<CT, CT, OT, IT>& product,
                  const row_list& list, const unsigned long long* unordered) const {
        const auto parts_per_row = static_cast<int>(ceil_div(args_.longest_counted, most_));
        cuda_device& device = launcher.device();
        const int64_t tasks = std::max(heavy_rows::most_tasks, heavy_rows::most(args_) * parts_per_row);
        device.launch_blocks(lanes() == 8 ? multiply_heavy_rows<8, CT, CT, OT, IT>
                                          : multiply_heavy_rows<warp_size, CT, CT, OT, IT>,
                             launcher.blocks_for(tasks, 1), spgemm_threads, bytes(), product, list, unordered,
                             most_, parts_per_row, words_, tasks_, partials_);
        device.launch_blocks(join_heavy_rows<CT, CT, OT, IT>, launcher.blocks_for(tasks, 1), spgemm_threads,
                             0, product, list, unordered, most_, parts_per_row, tasks_,
                             static_cast<const CT*>(partials_));
    }

  private:
    // Few where the elements of a row of B that are read at a time are few, and so many sums fit.
    int lanes() const {
        constexpr int most_of_eight = 256;
        return has_short_rows(args_) && most_ <= most_of_eight ? 8 : warp_size;
    }
    size_t bytes() const { return heavy_bytes<CT>(spgemm_threads / lanes(), most_, words_); }

    const heron_spgemm_args& args_;
    int words_;
    int most_ = heavy_rows::most_sums;
    int64_t tasks_ = 1;
    CT* partials_ = nullptr;
};

}  // namespace heron::HERON_LEVEL
