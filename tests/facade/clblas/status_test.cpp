// Every status that the level 3 functions give for a bad argument, and that nothing happens then.
#include "rig.hpp"

using namespace heron::test::cl;

namespace {

constexpr operation operations[] = {operation::gemm, operation::trmm,  operation::trsm,
                                    operation::syrk, operation::syr2k, operation::symm,
                                    operation::hemm, operation::herk,  operation::her2k};
constexpr std::size_t size = 6, other_size = 4, line = 8, cells = 64;

// All operands large enough for every operation: a good call that single arguments are then spoilt in.
class good_call {
  public:
    good_call() {
        for (auto& value : values_) value = 1;
        a_ = upload(context_.get(), values_);
        b_ = upload(context_.get(), values_);
        c_ = upload(context_.get(), values_);
        queues_[0] = queue_.get();
        args.m = args.n = size;
        args.k = other_size;
        args.a = a_.get();
        args.b = b_.get();
        args.c = c_.get();
        args.lda = args.ldb = args.ldc = line;
        args.beta = {1, 0};
        args.queue_count = 1;
        args.queues = queues_;
        args.events = events_;
    }

    // Runs it and checks that neither C nor the events were touched unless it succeeds.
    int status(generation g, operation op) {
        const scalar s = is_hermitian(op) ? scalar::c : scalar::s;
        const int result = run(g, op, s, args);
        if (result == clblasSuccess) {
            if (args.events) {
                REQUIRE(events_[0] != nullptr);
                CHECK(clWaitForEvents(1, events_) == CL_SUCCESS);
                clReleaseEvent(events_[0]);
                events_[0] = nullptr;
            }
            return result;
        }
        CHECK(events_[0] == nullptr);
        CHECK(download<float>(queue_.get(), is_triangular(op) ? b_.get() : c_.get(), 2 * cells) == values_);
        return result;
    }

    cl_context context() const { return context_.get(); }
    arguments args;

  private:
    owned_context context_ = make_context();
    owned_queue queue_ = make_queue(context_.get());
    std::vector<float> values_ = std::vector<float>(2 * cells);
    owned_buffer a_, b_, c_;
    cl_command_queue queues_[2] = {};
    cl_event events_[2] = {};
};

// What a bad argument gives, for all operations that have it.
void expect(int status, operation op, const std::function<void(arguments&)>& spoil) {
    for (const generation g : {generation::clblas, generation::amd_with_offsets, generation::amd}) {
        CAPTURE(name_of(op), static_cast<int>(g));
        good_call call;
        spoil(call.args);
        CHECK(call.status(g, op) == status);
    }
}

void expect_with_offsets(int status, operation op, const std::function<void(arguments&)>& spoil) {
    for (const generation g : {generation::clblas, generation::amd_with_offsets}) {
        CAPTURE(name_of(op), static_cast<int>(g));
        good_call call;
        spoil(call.args);
        CHECK(call.status(g, op) == status);
    }
}

bool uses_b(operation op) { return op != operation::syrk && op != operation::herk; }
bool uses_c(operation op) { return !is_triangular(op); }
bool is_update(operation op) {
    return op == operation::syrk || op == operation::syr2k || op == operation::herk || op == operation::her2k;
}
bool has_side(operation op) { return is_triangular(op) || op == operation::symm || op == operation::hemm; }

struct setup_scope {
    setup_scope() { REQUIRE(clblasSetup() == clblasSuccess); }
    ~setup_scope() { clblasTeardown(); }
};

}  // namespace

TEST_CASE("a good call of every function succeeds") {
    const setup_scope scope;
    for (const operation op : operations) expect(clblasSuccess, op, [](arguments&) {});
}

TEST_CASE("without Setup only gemm works") {
    clblasTeardown();
    for (const operation op : operations)
        expect(op == operation::gemm ? clblasSuccess : clblasNotInitialized, op, [](arguments&) {});
    REQUIRE(clAmdBlasSetup() == clAmdBlasSuccess);
    REQUIRE(clAmdBlasSetup() == clAmdBlasSuccess);
    expect(clblasSuccess, operation::her2k, [](arguments&) {});
    clAmdBlasTeardown();
    expect(clblasNotInitialized, operation::her2k, [](arguments&) {});
}

TEST_CASE("queues and wait lists") {
    const setup_scope scope;
    for (const operation op : operations) {
        expect(clblasInvalidValue, op, [](arguments& x) { x.queue_count = 0; });
        expect(clblasInvalidValue, op, [](arguments& x) { x.queues = nullptr; });
        expect(clblasInvalidCommandQueue, op, [](arguments& x) { x.queues[0] = nullptr; });
        expect(clblasInvalidCommandQueue, op, [](arguments& x) { x.queue_count = 2; });
        expect(clblasInvalidEventWaitList, op, [](arguments& x) { x.wait_count = 1; });
        static const cl_event none = nullptr;
        expect(clblasInvalidEventWaitList, op, [](arguments& x) {
            x.wait_count = 1;
            x.waits = &none;
        });
        // A list without a count is none, as in OpenCL's own functions of clBLAS's time.
        expect(clblasSuccess, op, [](arguments& x) { x.waits = &none; });
        expect(clblasSuccess, op, [](arguments& x) { x.events = nullptr; });
    }
}

TEST_CASE("objects of another context") {
    const setup_scope scope;
    const owned_context other = make_context();
    const owned_queue other_queue = make_queue(other.get());
    const owned_event other_event = make_user_event(other.get());
    const cl_event waits[] = {other_event.get()};
    const owned_buffer foreign = upload(other.get(), std::vector<float>(2 * cells, 1.0f));
    for (const operation op : operations) {
        expect(clblasInvalidContext, op, [&](arguments& x) {
            x.queue_count = 2;
            x.queues[1] = other_queue.get();
        });
        expect(clblasInvalidContext, op, [&](arguments& x) {
            x.wait_count = 1;
            x.waits = waits;
        });
        expect(clblasInvalidContext, op, [&](arguments& x) { x.a = foreign.get(); });
    }
    clSetUserEventStatus(other_event.get(), CL_COMPLETE);
}

TEST_CASE("buffers") {
    const setup_scope scope;
    for (const operation op : operations) {
        expect(clblasInvalidMatA, op, [](arguments& x) { x.a = nullptr; });
        expect(clblasInsufficientMemMatA, op, [](arguments& x) { x.lda = 100; });
        if (uses_b(op)) expect(clblasInvalidMatB, op, [](arguments& x) { x.b = nullptr; });
        if (uses_b(op)) expect(clblasInsufficientMemMatB, op, [](arguments& x) { x.ldb = 100; });
        if (uses_c(op)) expect(clblasInvalidMatC, op, [](arguments& x) { x.c = nullptr; });
        if (uses_c(op)) expect(clblasInsufficientMemMatC, op, [](arguments& x) { x.ldc = 100; });
        for (const std::size_t offset : {std::size_t{100}, SIZE_MAX - 20, SIZE_MAX / 2}) {
            expect_with_offsets(clblasInsufficientMemMatA, op, [&](arguments& x) { x.off_a = offset; });
            if (uses_b(op))
                expect_with_offsets(clblasInsufficientMemMatB, op, [&](arguments& x) { x.off_b = offset; });
            if (uses_c(op))
                expect_with_offsets(clblasInsufficientMemMatC, op, [&](arguments& x) { x.off_c = offset; });
        }
    }
}

TEST_CASE("an image is no matrix") {
    const setup_scope scope;
    cl_bool has_images = CL_FALSE;
    clGetDeviceInfo(device(), CL_DEVICE_IMAGE_SUPPORT, sizeof has_images, &has_images, nullptr);
    if (!has_images) return;
    good_call call;
    const cl_image_format format{CL_RGBA, CL_FLOAT};
    cl_image_desc description{};
    description.image_type = CL_MEM_OBJECT_IMAGE2D;
    description.image_width = description.image_height = 16;
    cl_int code = CL_SUCCESS;
    const owned_buffer image(
        clCreateImage(call.context(), CL_MEM_READ_WRITE, &format, &description, nullptr, &code));
    if (code != CL_SUCCESS) return;
    call.args.b = image.get();
    CHECK(call.status(generation::clblas, operation::gemm) == clblasInvalidMatB);
    CHECK(call.status(generation::amd, operation::her2k) == clblasInvalidMatB);
}

TEST_CASE("sizes and leading dimensions") {
    const setup_scope scope;
    for (const operation op : operations) {
        expect(clblasInvalidDim, op, [](arguments& x) { x.n = 0; });
        if (!is_update(op)) expect(clblasInvalidDim, op, [](arguments& x) { x.m = 0; });
        // As in reference BLAS, C is scaled.
        if (is_update(op)) expect(clblasSuccess, op, [](arguments& x) { x.k = 0; });
        expect(clblasInvalidLeadDimA, op, [](arguments& x) { x.lda = 3; });
        expect(clblasInvalidLeadDimA, op, [](arguments& x) { x.lda = 0; });
        if (uses_b(op)) expect(clblasInvalidLeadDimB, op, [](arguments& x) { x.ldb = 3; });
        if (uses_b(op)) expect(clblasInvalidLeadDimB, op, [](arguments& x) { x.ldb = 0; });
        if (uses_c(op)) expect(clblasInvalidLeadDimC, op, [](arguments& x) { x.ldc = 5; });
        if (uses_c(op)) expect(clblasInvalidLeadDimC, op, [](arguments& x) { x.ldc = 0; });
    }
    expect(clblasSuccess, operation::gemm, [](arguments& x) { x.k = 0; });
}

TEST_CASE("enumerations") {
    const setup_scope scope;
    for (const operation op : operations) {
        expect(clblasInvalidValue, op, [](arguments& x) { x.order = 7; });
        if (op != operation::symm && op != operation::hemm)
            expect(clblasInvalidValue, op, [](arguments& x) { x.trans_a = 7; });
        if (op == operation::gemm) expect(clblasInvalidValue, op, [](arguments& x) { x.trans_b = 7; });
        if (op != operation::gemm) expect(clblasInvalidValue, op, [](arguments& x) { x.uplo = 7; });
        if (has_side(op)) expect(clblasInvalidValue, op, [](arguments& x) { x.side = 7; });
        if (is_triangular(op)) expect(clblasInvalidValue, op, [](arguments& x) { x.diag = 7; });
    }
    expect(clblasInvalidValue, operation::herk, [](arguments& x) { x.trans_a = clblasTrans; });
    expect(clblasInvalidValue, operation::her2k, [](arguments& x) { x.trans_a = clblasTrans; });
    // Of real types the conjugate transpose is the transpose.
    expect(clblasSuccess, operation::syrk, [](arguments& x) { x.trans_a = clblasConjTrans; });
    for (const operation op : {operation::syrk, operation::syr2k}) {
        good_call call;
        call.args.trans_a = clblasConjTrans;
        CHECK(run(generation::clblas, op, scalar::c, call.args) == clblasInvalidValue);
    }
}

TEST_CASE("versions and scratch images") {
    cl_uint major = 0, minor = 0, patch = 0;
    CHECK(clblasGetVersion(&major, &minor, &patch) == clblasSuccess);
    CHECK(major == 2);
    CHECK(minor == 12);
    CHECK(clAmdBlasGetVersion(&major, &minor, &patch) == clAmdBlasSuccess);
    CHECK(major == 1);
    CHECK(clblasGetVersion(nullptr, nullptr, nullptr) == clblasSuccess);

    const owned_context owner = make_context();
    clAmdBlasStatus status = clAmdBlasSuccess;
    CHECK(clAmdBlasAddScratchImage(owner.get(), 16, 16, &status) == 0);
    CHECK(status == clAmdBlasNotInitialized);
    const setup_scope scope;
    const cl_ulong image = clAmdBlasAddScratchImage(owner.get(), 16, 16, &status);
    CHECK(status == clAmdBlasSuccess);
    CHECK(image != 0);
    CHECK(clAmdBlasRemoveScratchImage(image) == clAmdBlasSuccess);
    CHECK(clAmdBlasRemoveScratchImage(image) == clAmdBlasInvalidValue);
}
