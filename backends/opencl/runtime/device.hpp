#pragma once
// The plans' Device on OpenCL: an element kernel is a kernel of the family's program, built for the types at
// first use.
#include "common/dialect/dialect_group.hpp"
#include "memory.hpp"
#include <string>
#include <type_traits>

namespace heron::opencl {

// The name of a C++ type in dialect.cl.
template <class T>
inline constexpr const char* type_name = nullptr;
template <>
inline constexpr const char* type_name<i8> = "i8";
template <>
inline constexpr const char* type_name<i32> = "i32";
template <>
inline constexpr const char* type_name<i64> = "i64";
template <>
inline constexpr const char* type_name<f16> = "f16";
template <>
inline constexpr const char* type_name<bf16> = "bf16";
template <>
inline constexpr const char* type_name<f32> = "f32";
template <>
inline constexpr const char* type_name<f64> = "f64";
template <>
inline constexpr const char* type_name<cf16> = "cf16";
template <>
inline constexpr const char* type_name<cbf16> = "cbf16";
template <>
inline constexpr const char* type_name<c32> = "c32";
template <>
inline constexpr const char* type_name<c64> = "c64";
template <>
inline constexpr const char* type_name<u8> = "u8";
template <>
inline constexpr const char* type_name<u16> = "u16";
template <>
inline constexpr const char* type_name<u32> = "u32";
template <>
inline constexpr const char* type_name<u64> = "u64";
template <>
inline constexpr const char* type_name<raw16> = "raw16";
template <>
inline constexpr const char* type_name<raw128> = "raw128";
template <>
inline constexpr const char* type_name<plus_times> = "plus_times";
template <>
inline constexpr const char* type_name<min_plus> = "min_plus";
template <>
inline constexpr const char* type_name<max_times> = "max_times";
template <>
inline constexpr const char* type_name<or_and> = "or_and";

// family.types names the parameters in the order of `names`.
program_key make_program_key(const kernel_family& family, const char* const* names, size_t count);

template <class Kernel>
struct kernel_traits;
template <template <class...> class Kernel, class... T>
struct kernel_traits<Kernel<T...>> {
    static_assert(((type_name<T> != nullptr) && ...), "a type has no name in dialect.cl");
    static program_key key(const kernel_family& family) {
        const char* const names[] = {type_name<T>...};
        return make_program_key(family, names, sizeof...(T));
    }
    static inline char id = 0;  // its address stands for the program
};

// The same of a program of group kernels, whose parameters are types and then sizes.
template <class Program, class... T>
struct program_values {
    static program_key key(const kernel_family& family, std::initializer_list<int> sizes) {
        static_assert(((type_name<T> != nullptr) && ...), "a type has no name in dialect.cl");
        std::vector<std::string> values{type_name<T>...};
        for (const int size : sizes) values.push_back(std::to_string(size));
        std::vector<const char*> names;
        for (const std::string& value : values) names.push_back(value.c_str());
        return make_program_key(family, names.data(), names.size());
    }
    static inline char id = 0;
};
template <class Program>
struct program_traits;
template <template <int...> class Program, int... sizes>
struct program_traits<Program<sizes...>> : program_values<Program<sizes...>> {
    static constexpr std::initializer_list<int> all_sizes = {sizes...};
};
template <template <class, int...> class Program, class T, int... sizes>
struct program_traits<Program<T, sizes...>> : program_values<Program<T, sizes...>, T> {
    static constexpr std::initializer_list<int> all_sizes = {sizes...};
};
template <template <class, class, int...> class Program, class T, class U, int... sizes>
struct program_traits<Program<T, U, sizes...>> : program_values<Program<T, U, sizes...>, T, U> {
    static constexpr std::initializer_list<int> all_sizes = {sizes...};
};
template <template <class, class, class, int...> class Program, class T, class U, class V, int... sizes>
struct program_traits<Program<T, U, V, sizes...>> : program_values<Program<T, U, V, sizes...>, T, U, V> {
    static constexpr std::initializer_list<int> all_sizes = {sizes...};
};
template <template <class, class, class, class, int...> class Program, class T, class U, class V, class W,
          int... sizes>
struct program_traits<Program<T, U, V, W, sizes...>>
    : program_values<Program<T, U, V, W, sizes...>, T, U, V, W> {
    static constexpr std::initializer_list<int> all_sizes = {sizes...};
};
template <template <class, class, class, class, class, int...> class Program, class T, class U, class V,
          class W, class X, int... sizes>
struct program_traits<Program<T, U, V, W, X, sizes...>>
    : program_values<Program<T, U, V, W, X, sizes...>, T, U, V, W, X> {
    static constexpr std::initializer_list<int> all_sizes = {sizes...};
};

constexpr int64_t quotient_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

class opencl_device {
  public:
    static constexpr bool strided = true;

    explicit opencl_device(heron_queue* queue) : queue_(*queue) {}
    // The device starts now, not when somebody waits.
    ~opencl_device();
    opencl_device(const opencl_device&) = delete;
    opencl_device& operator=(const opencl_device&) = delete;

    static void log_failure(const char* operation, const char* reason) noexcept {
        log(log_level::error, operation, reason);
    }

    template <class Kernel, class... Args>
    void launch(const kernel_family& family, int64_t count, Args... args) {
        if (count <= 0) return;
        const kernel_instance& k = instance<Kernel>(family, null_pointers(args...));
        set_arguments(k, static_cast<cl_ulong>(count), args...);
        const size_t groups = (static_cast<size_t>(count) + k.local_size - 1) / k.local_size;
        enqueue(k, groups, k.local_size);
    }

    // Builds a program that holds source text of the caller's. Throws INVALID_VALUE if it does not compile.
    void build(const program_key& key);

    // Like launch, for a kernel of a program that was put together at run time.
    template <class Kernel, class... Args>
    void launch_program(const kept_program& program, int64_t count, Args... args) {
        if (count <= 0) return;
        const kernel_instance& k = instance<Kernel>(program, null_pointers(args...));
        set_arguments(k, static_cast<cl_ulong>(count), args...);
        enqueue(k, (static_cast<size_t>(count) + k.local_size - 1) / k.local_size, k.local_size);
    }

    // Like launch_groups, for a kernel whose program was put together at run time.
    template <class Kernel, class... Args>
    void launch_program_groups(const kept_program& program, int64_t groups, size_t local_size, Args... args) {
        if (groups <= 0) return;
        const kernel_instance& k = instance<Kernel>(program, null_pointers(args...));
        set_arguments(k, args...);
        enqueue(k, static_cast<size_t>(groups), local_size);
    }

    // A kernel of the group dialect.
    template <class Kernel, class... Args>
    requires requires { typename Kernel::program; }
    void launch_groups(const kernel_family& family, int64_t groups, Args... args) {
        if (groups <= 0) return;
        using traits = program_traits<typename Kernel::program>;
        const kernel_instance& k = queue_.kernel({&traits::id, Kernel::name, null_pointers(args...)},
                                                 [&] { return traits::key(family, traits::all_sizes); });
        set_arguments(k, args...);
        enqueue(k, static_cast<size_t>(groups), Kernel::group);
    }

    // For kernels that are written for work-groups of one size and take no count.
    template <class Kernel, class... Args>
    void launch_groups(const kernel_family& family, int64_t groups, size_t local_size, Args... args) {
        const kernel_instance& k = instance<Kernel>(family, null_pointers(args...));
        set_arguments(k, args...);
        enqueue(k, static_cast<size_t>(groups), local_size);
    }

    // A kernel whose program was put together at run time. `id` is an address that stands for the program.
    // The group is local[0] x local[1].
    template <class... Args>
    void launch_program(const void* id, const char* name, const program_key& key, const size_t (&groups)[2],
                        const size_t (&local)[2], Args... args) {
        const kernel_instance& k = queue_.kernel({id, name, null_pointers(args...)}, [&] { return key; });
        set_arguments(k, args...);
        enqueue(k, groups, local);
    }

    const dense_kit& dense_kernels(heron_type type, bool is_small, int left_out) {
        return queue_.device.dense().get(traits(), type, is_small, left_out);
    }

    // Memory until the end of what is launched on this object.
    cl_mem take_scratch(size_t bytes);

    // On a caller's queue a pointer stands for the memory object.
    template <class T>
    T* temporary(T* part, int64_t count) {
        if (!queue_.adopted) return part;
        return reinterpret_cast<T*>(take_scratch(static_cast<size_t>(count) * sizeof(T)));
    }

    void fill(void* p, unsigned char byte, size_t bytes) { fill_on_device(queue_, p, byte, bytes); }
    void copy(void* to, const void* from, size_t bytes) { copy_on_device(queue_, to, from, bytes); }
    void read(void* to, const void* from, size_t bytes) { opencl::read(queue_, to, from, bytes); }
    void write(void* to, const void* from, size_t bytes) { opencl::write(queue_, to, from, bytes); }

    // Kernels launched from now on read addresses in memory, and may reach every block of the device through
    // them.
    void follow_addresses() { follows_addresses_ = true; }

    const device_traits& traits() const { return queue_.device.traits(); }

  private:
    template <class Kernel>
    const kernel_instance& instance(const kernel_family& family, uint64_t null_pointers) {
        using traits = kernel_traits<Kernel>;
        return queue_.kernel({&traits::id, Kernel::name, null_pointers}, [&] { return traits::key(family); });
    }
    template <class Kernel>
    const kernel_instance& instance(const kept_program& program, uint64_t null_pointers) {
        return queue_.kernel({&program, Kernel::name, null_pointers}, [&] { return program.key; });
    }

    template <class... Args>
    static uint64_t null_pointers(const Args&... args) {
        static_assert(sizeof...(args) <= 64);
        uint64_t mask = 0;
        int index = 0;
        ((mask |= static_cast<uint64_t>(is_null(args)) << index++), ...);
        return mask;
    }

    template <class T>
    static bool is_null(const T& value) {
        if constexpr (std::is_pointer_v<T>) return value == nullptr;
        return false;
    }

    template <class... Args>
    void set_arguments(const kernel_instance& k, const Args&... args) {
        cl_uint index = 0;
        (set_argument(k, index++, args), ...);
    }

    template <class T>
    void set_argument(const kernel_instance& k, cl_uint index, const T& value) {
        if constexpr (std::is_same_v<T, cl_mem>)
            check(clSetKernelArg(k.kernel, index, sizeof value, &value), "clSetKernelArg");
        else if constexpr (std::is_pointer_v<T>)
            set_pointer(k.kernel, index, value);
        else
            set_value(k, index, &value, sizeof value);
    }

    void set_argument(const kernel_instance& k, cl_uint index, const local_memory& memory) {
        check(clSetKernelArg(k.kernel, index, memory.bytes, nullptr), "clSetKernelArg");
    }

    static void set_value(const kernel_instance& k, cl_uint index, const void* value, size_t size);
    void set_pointer(cl_kernel kernel, cl_uint index, const void* pointer);
    void enqueue(const kernel_instance& k, const size_t (&groups)[2], const size_t (&local)[2]);
    void enqueue(const kernel_instance& k, size_t groups, size_t local_size) {
        enqueue(k, {groups, 1}, {local_size, 1});
    }

    heron_queue& queue_;
    std::vector<std::shared_ptr<scratch_buffer>> scratch_;
    cl_event last_ = nullptr;  // while there is scratch memory
    bool has_work_ = false;
    bool follows_addresses_ = false;
};

}  // namespace heron::opencl
