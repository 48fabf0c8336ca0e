#include "opencl_blas_peers.hpp"

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <array>
#include <cctype>
#include <functional>
#include <type_traits>

namespace heron::tools {
namespace {

void check_code(cl_int code, const std::string& what) {
    if (code != CL_SUCCESS) throw std::runtime_error(fmt::format("{} returned {}", what, code));
}

// What peers need of OpenCL, looked up so that the program starts where there is none.
struct opencl_functions {
    shared_library library{std::array{"libOpenCL.so.1", "libOpenCL.so"}};

    decltype(clGetPlatformIDs)* get_platforms = get<decltype(clGetPlatformIDs)>("clGetPlatformIDs");
    decltype(clGetDeviceIDs)* get_devices = get<decltype(clGetDeviceIDs)>("clGetDeviceIDs");
    decltype(clGetDeviceInfo)* get_device_info = get<decltype(clGetDeviceInfo)>("clGetDeviceInfo");
    decltype(clCreateContext)* create_context = get<decltype(clCreateContext)>("clCreateContext");
    decltype(clReleaseContext)* release_context = get<decltype(clReleaseContext)>("clReleaseContext");
    decltype(clCreateCommandQueue)* create_queue =
        get<decltype(clCreateCommandQueue)>("clCreateCommandQueue");
    decltype(clReleaseCommandQueue)* release_queue =
        get<decltype(clReleaseCommandQueue)>("clReleaseCommandQueue");
    decltype(clFinish)* finish = get<decltype(clFinish)>("clFinish");
    decltype(clCreateBuffer)* create_buffer = get<decltype(clCreateBuffer)>("clCreateBuffer");
    decltype(clReleaseMemObject)* release_buffer = get<decltype(clReleaseMemObject)>("clReleaseMemObject");
    decltype(clEnqueueReadBuffer)* read = get<decltype(clEnqueueReadBuffer)>("clEnqueueReadBuffer");
    decltype(clEnqueueWriteBuffer)* write = get<decltype(clEnqueueWriteBuffer)>("clEnqueueWriteBuffer");

  private:
    template <class Function>
    Function* get(const char* name) const {
        if (!library) throw std::runtime_error("there is no libOpenCL");
        return library.get<Function>(name);
    }
};

// A context and an in-order queue on the device, and the operands of the problem that is being measured.
class opencl_arena {
  public:
    explicit opencl_arena(const device& where) : where_(where) {
        const cl_device_id device = find_device(where.info().name);
        cl_int code = CL_SUCCESS;
        context_ = cl_.create_context(nullptr, 1, &device, nullptr, nullptr, &code);
        check_code(code, "clCreateContext");
        queue_ = cl_.create_queue(context_, device, 0, &code);
        check_code(code, "clCreateCommandQueue");
    }
    ~opencl_arena() {
        release_operands();
        cl_.release_queue(queue_);
        cl_.release_context(context_);
    }
    opencl_arena(const opencl_arena&) = delete;
    opencl_arena& operator=(const opencl_arena&) = delete;

    void hold(const dense_problem& p) {
        release_operands();
        const std::int64_t sizes[] = {p.a_size(), p.b_size(), p.c_size()};
        const void* const from[] = {p.a, p.b, p.c};
        for (int i = 0; i < 3; ++i) {
            bytes_[i] = static_cast<std::size_t>(sizes[i] * p.batch * p.element_bytes());
            cl_int code = CL_SUCCESS;
            operands_[i] = cl_.create_buffer(context_, CL_MEM_READ_WRITE, bytes_[i], nullptr, &code);
            check_code(code, "clCreateBuffer");
            std::vector<std::byte> values(bytes_[i]);
            where_.copy(values.data(), from[i], bytes_[i]);
            check_code(
                cl_.write(queue_, operands_[i], CL_TRUE, 0, bytes_[i], values.data(), 0, nullptr, nullptr),
                "clEnqueueWriteBuffer");
        }
    }

    cl_mem a() const { return operands_[0]; }
    cl_mem b() const { return operands_[1]; }
    cl_mem c() const { return operands_[2]; }
    cl_command_queue* queue() { return &queue_; }
    void wait() const { check_code(cl_.finish(queue_), "clFinish"); }

    void copy_result(const dense_problem& p) const {
        std::vector<std::byte> values(bytes_[2]);
        check_code(cl_.read(queue_, c(), CL_TRUE, 0, bytes_[2], values.data(), 0, nullptr, nullptr),
                   "clEnqueueReadBuffer");
        where_.copy(p.c, values.data(), bytes_[2]);
    }

  private:
    cl_device_id find_device(const std::string& name) const {
        cl_platform_id platforms[16];
        cl_uint platform_count = 0;
        check_code(cl_.get_platforms(16, platforms, &platform_count), "clGetPlatformIDs");
        for (cl_uint p = 0; p < platform_count && p < 16; ++p) {
            cl_device_id devices[64];
            cl_uint count = 0;
            if (cl_.get_devices(platforms[p], CL_DEVICE_TYPE_ALL, 64, devices, &count) != CL_SUCCESS)
                continue;
            for (cl_uint d = 0; d < count && d < 64; ++d) {
                char found[256] = {};
                cl_.get_device_info(devices[d], CL_DEVICE_NAME, sizeof found - 1, found, nullptr);
                if (name == found) return devices[d];
            }
        }
        throw std::runtime_error(fmt::format("there is no OpenCL device {}", name));
    }

    void release_operands() {
        for (cl_mem& operand : operands_) {
            if (operand) cl_.release_buffer(operand);
            operand = nullptr;
        }
    }

    const device& where_;
    opencl_functions cl_;
    cl_context context_ = nullptr;
    cl_command_queue queue_ = nullptr;
    cl_mem operands_[3] = {};
    std::size_t bytes_[3] = {};
};

template <class R>
struct complex_of;
template <>
struct complex_of<float> {
    using type = cl_float2;
};
template <>
struct complex_of<double> {
    using type = cl_double2;
};

template <class T, class R>
T number(R value) {
    if constexpr (std::is_same_v<T, R>)
        return value;
    else
        return T{{value, R(0)}};
}

// The two libraries' functions differ in their names, enumerations and last arguments.
class opencl_blas : public blas_peer {
  public:
    opencl_blas(const opencl_library& opened, const device& where)
        : name_(opened.name),
          library_(opened.library),
          arena_(std::make_unique<opencl_arena>(where)),
          is_clblast_(library_.has("CLBlastSgemm")) {
        if (is_clblast_) return;
        if (!library_.has("clblasSgemm"))
            throw std::runtime_error(
                fmt::format("{} has the functions of neither CLBlast nor clBLAS", name_));
        check_code(library_.get<int()>("clblasSetup")(), "clblasSetup");
    }
    ~opencl_blas() override {
        if (!is_clblast_) library_.get<void()>("clblasTeardown")();
    }
    opencl_blas(const opencl_blas&) = delete;
    opencl_blas& operator=(const opencl_blas&) = delete;

    std::string name() const override { return name_; }

    std::string version() const override {
        if (is_clblast_) return "CLBlast";
        cl_uint major = 0, minor = 0, patch = 0;
        library_.get<int(cl_uint*, cl_uint*, cl_uint*)>("clblasGetVersion")(&major, &minor, &patch);
        return fmt::format("clBLAS {}.{}.{}", major, minor, patch);
    }

    std::function<void()> call(const dense_problem& p) const override {
        if (p.operation != dense_operation::gemm && p.operation != dense_operation::rank_k &&
            p.operation != dense_operation::rank_2k)
            return {};
        if (p.is_half()) return {};
        arena_->hold(p);
        switch (p.type) {
            case HERON_R_32F: return typed<float, float>(p);
            case HERON_R_64F: return typed<double, double>(p);
            case HERON_C_32F: return typed<cl_float2, float>(p);
            default: return typed<cl_double2, double>(p);
        }
    }

    void wait() const override { arena_->wait(); }
    void collect(const dense_problem& p) const override { arena_->copy_result(p); }

  private:
    // CLBlast's are CBLAS's.
    int column_order() const { return is_clblast_ ? 102 : 1; }
    int lower() const { return is_clblast_ ? 122 : 1; }
    int code(heron_operation op) const { return (is_clblast_ ? 111 : 0) + static_cast<int>(op); }

    std::string function_name(const dense_problem& p, const char* suffix = "") const {
        std::string stem = p.function_stem();
        stem[0] = static_cast<char>(std::toupper(stem[0]));
        return (is_clblast_ ? "CLBlast" : "clblas") + stem + suffix;
    }

    template <class... Args>
    std::function<void()> bind(const std::string& name, Args... args) const {
        cl_command_queue* const queue = arena_->queue();
        if (is_clblast_) {
            const auto f = library_.get<int(Args..., cl_command_queue*, cl_event*)>(name);
            return [=] { check_code(f(args..., queue, nullptr), name); };
        }
        const auto f =
            library_.get<int(Args..., cl_uint, cl_command_queue*, cl_uint, const cl_event*, cl_event*)>(name);
        return [=] { check_code(f(args..., 1, queue, 0, nullptr, nullptr), name); };
    }

    template <class T, class R>
    std::function<void()> typed(const dense_problem& p) const {
        const auto n = static_cast<std::size_t>(p.n), k = static_cast<std::size_t>(p.k);
        const std::size_t none = 0;
        const T one = number<T>(R(1));
        const int order = column_order(), as_is = code(HERON_OP_NONE);
        if (p.operation == dense_operation::rank_k)
            return bind(function_name(p), order, lower(), as_is, n, k, R(1), arena_->a(), none, n, R(0),
                        arena_->c(), none, n);
        if (p.operation == dense_operation::rank_2k)
            return bind(function_name(p), order, lower(), as_is, n, k, one, arena_->a(), none, n, arena_->b(),
                        none, n, R(0), arena_->c(), none, n);
        return product<T, R>(p);
    }

    template <class T, class R>
    std::function<void()> product(const dense_problem& p) const {
        const auto m = static_cast<std::size_t>(p.m), n = static_cast<std::size_t>(p.n),
                   k = static_cast<std::size_t>(p.k), lda = static_cast<std::size_t>(p.lda()),
                   ldb = static_cast<std::size_t>(p.ldb()), batch = static_cast<std::size_t>(p.batch);
        const std::size_t sizes[] = {m * k, k * n, m * n};
        const std::size_t none = 0;
        const T one = number<T>(R(1)), zero = number<T>(R(0));
        const int order = column_order(), op_a = code(p.op_a), op_b = code(p.op_b);
        if (is_clblast_ && p.batch > 1)
            return bind(function_name(p, "StridedBatched"), order, op_a, op_b, m, n, k, one, arena_->a(),
                        none, lda, sizes[0], arena_->b(), none, ldb, sizes[1], zero, arena_->c(), none, m,
                        sizes[2], batch);
        std::vector<std::function<void()>> calls;
        for (std::size_t item = 0; item < batch; ++item)
            calls.push_back(bind(function_name(p), order, op_a, op_b, m, n, k, one, arena_->a(),
                                 item * sizes[0], lda, arena_->b(), item * sizes[1], ldb, zero, arena_->c(),
                                 item * sizes[2], m));
        return [calls] {
            for (const auto& call : calls) call();
        };
    }

    std::string name_;
    shared_library library_;
    std::unique_ptr<opencl_arena> arena_;
    bool is_clblast_;
};

}  // namespace

std::vector<std::unique_ptr<blas_peer>> open_opencl_peers(const device& where,
                                                          const std::vector<opencl_library>& libraries) {
    std::vector<std::unique_ptr<blas_peer>> peers;
    for (const opencl_library& each : libraries) peers.push_back(std::make_unique<opencl_blas>(each, where));
    return peers;
}

}  // namespace heron::tools
