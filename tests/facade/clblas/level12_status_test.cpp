// Every status that the functions of levels 1 and 2 give for a bad argument, in all types and both
// generations, and that nothing happens then.
#include "typed_rig.hpp"

#include <climits>

using namespace heron::test::cl;

namespace {

constexpr std::size_t n = 6, cells = 96;

// Arguments that are good for every function.
struct good {
    int order = clblasColumnMajor, trans = clblasNoTrans, uplo = clblasLower, diag = clblasNonUnit;
    std::size_t m = n, columns = n, k = 1;
    value alpha{0.5, 0.25}, beta{1, 0};
    cl_mem a = nullptr, x = nullptr, y = nullptr, r = nullptr, s = nullptr, scratch = nullptr;
    std::size_t off_a = 0, off_x = 0, off_y = 0, off_r = 0, off_s = 0, lda = 8;
    int incx = 1, incy = 1;
    cl_uint queue_count = 1;
    cl_command_queue* queues = nullptr;
    cl_uint wait_count = 0;
    const cl_event* waits = nullptr;
    cl_event* events = nullptr;
};

// What a function has, so that it can be bad. R and S are numbers, which clBLAS counts as vectors.
enum part : unsigned {
    ORDER = 1,
    TRANS = 2,
    UPLO = 4,
    DIAG = 8,
    M = 16,
    N = 32,
    A = 64,
    LDA = 128,
    X = 256,
    Y = 512,
    R_AS_X = 1024,
    R_AS_Y = 2048,
    S_AS_Y = 4096,
    X_IS_NUMBER = 8192,
    Y_IS_NUMBER = 16384,
};

struct subject {
    const char* name;
    unsigned has;
    std::function<int(const good&)> call;
};

#define TAIL g.queue_count, g.queues, g.wait_count, g.waits, g.events
#define MATRIX g.a, g.off_a, g.lda
#define PACKED g.a, g.off_a
#define VECTOR_X g.x, g.off_x, g.incx
#define VECTOR_Y g.y, g.off_y, g.incy

template <class F>
void add_vector_functions(F f, std::vector<subject>& all) {
    const auto add = [&](const char* name, unsigned has, std::function<int(const good&)> call) {
        all.push_back({name, has, std::move(call)});
    };
    add("swap", N | X | Y,
        [=](const good& g) { return invoke(f.swap, g.columns, VECTOR_X, VECTOR_Y, TAIL); });
    add("copy", N | X | Y,
        [=](const good& g) { return invoke(f.copy, g.columns, VECTOR_X, VECTOR_Y, TAIL); });
    add("scal", N | X, [=](const good& g) { return invoke(f.scal, g.columns, g.alpha, VECTOR_X, TAIL); });
    add("axpy", N | X | Y,
        [=](const good& g) { return invoke(f.axpy, g.columns, g.alpha, VECTOR_X, VECTOR_Y, TAIL); });
    add("dot", N | X | Y | R_AS_Y, [=](const good& g) {
        return invoke(f.dot, g.columns, g.r, g.off_r, VECTOR_X, VECTOR_Y, g.scratch, TAIL);
    });
    add("rot", N | X | Y,
        [=](const good& g) { return invoke(f.rot, g.columns, VECTOR_X, VECTOR_Y, 0.5, 0.25, TAIL); });
    add("nrm2", N | X | R_AS_Y,
        [=](const good& g) { return invoke(f.nrm2, g.columns, g.r, g.off_r, VECTOR_X, g.scratch, TAIL); });
    add("asum", N | X | R_AS_X,
        [=](const good& g) { return invoke(f.asum, g.columns, g.r, g.off_r, VECTOR_X, g.scratch, TAIL); });
    add("iamax", N | X | R_AS_X,
        [=](const good& g) { return invoke(f.iamax, g.columns, g.r, g.off_r, VECTOR_X, g.scratch, TAIL); });
    add("rotg", X | X_IS_NUMBER | Y | Y_IS_NUMBER | R_AS_X | S_AS_Y, [=](const good& g) {
        return invoke(f.rotg, g.x, g.off_x, g.y, g.off_y, g.r, g.off_r, g.s, g.off_s, TAIL);
    });
    if constexpr (F::is_complex) {
        add("dotc", N | X | Y | R_AS_Y, [=](const good& g) {
            return invoke(f.dotc, g.columns, g.r, g.off_r, VECTOR_X, VECTOR_Y, g.scratch, TAIL);
        });
        add("scal by a real number", N | X,
            [=](const good& g) { return invoke(f.real_scal, g.columns, 0.5, VECTOR_X, TAIL); });
    } else {
        add("rotm", N | X | Y | S_AS_Y,
            [=](const good& g) { return invoke(f.rotm, g.columns, VECTOR_X, VECTOR_Y, g.s, g.off_s, TAIL); });
        add("rotmg", X | X_IS_NUMBER | Y | Y_IS_NUMBER | R_AS_X | S_AS_Y, [=](const good& g) {
            return invoke(f.rotmg, g.x, g.off_x, g.y, g.off_y, g.r, g.off_r, g.y, g.off_y, g.s, g.off_s,
                          TAIL);
        });
    }
}

template <class F>
void add_products(F f, std::vector<subject>& all) {
    const auto add = [&](const char* name, unsigned has, std::function<int(const good&)> call) {
        all.push_back({name, has | ORDER | N | A | X, std::move(call)});
    };
    add("gemv", TRANS | M | LDA | Y, [=](const good& g) {
        return invoke(f.gemv, g.order, g.trans, g.m, g.columns, g.alpha, MATRIX, VECTOR_X, g.beta, VECTOR_Y,
                      TAIL);
    });
    add("gbmv", TRANS | M | LDA | Y, [=](const good& g) {
        return invoke(f.gbmv, g.order, g.trans, g.m, g.columns, g.k, g.k, g.alpha, MATRIX, VECTOR_X, g.beta,
                      VECTOR_Y, TAIL);
    });
    add("symv", UPLO | LDA | Y, [=](const good& g) {
        return invoke(f.symv, g.order, g.uplo, g.columns, g.alpha, MATRIX, VECTOR_X, g.beta, VECTOR_Y, TAIL);
    });
    add("spmv", UPLO | Y, [=](const good& g) {
        return invoke(f.spmv, g.order, g.uplo, g.columns, g.alpha, PACKED, VECTOR_X, g.beta, VECTOR_Y, TAIL);
    });
    add("sbmv", UPLO | LDA | Y, [=](const good& g) {
        return invoke(f.sbmv, g.order, g.uplo, g.columns, g.k, g.alpha, MATRIX, VECTOR_X, g.beta, VECTOR_Y,
                      TAIL);
    });
    constexpr unsigned triangular = UPLO | TRANS | DIAG;
    add("trmv", triangular | LDA, [=](const good& g) {
        return invoke(f.trmv, g.order, g.uplo, g.trans, g.diag, g.columns, MATRIX, VECTOR_X, g.scratch, TAIL);
    });
    add("tpmv", triangular, [=](const good& g) {
        return invoke(f.tpmv, g.order, g.uplo, g.trans, g.diag, g.columns, PACKED, VECTOR_X, g.scratch, TAIL);
    });
    add("tbmv", triangular | LDA, [=](const good& g) {
        return invoke(f.tbmv, g.order, g.uplo, g.trans, g.diag, g.columns, g.k, MATRIX, VECTOR_X, g.scratch,
                      TAIL);
    });
    add("trsv", triangular | LDA, [=](const good& g) {
        return invoke(f.trsv, g.order, g.uplo, g.trans, g.diag, g.columns, MATRIX, VECTOR_X, TAIL);
    });
    add("tpsv", triangular, [=](const good& g) {
        return invoke(f.tpsv, g.order, g.uplo, g.trans, g.diag, g.columns, PACKED, VECTOR_X, TAIL);
    });
    add("tbsv", triangular | LDA, [=](const good& g) {
        return invoke(f.tbsv, g.order, g.uplo, g.trans, g.diag, g.columns, g.k, MATRIX, VECTOR_X, TAIL);
    });
}

template <class F>
void add_updates(F f, std::vector<subject>& all) {
    const auto add = [&](const char* name, unsigned has, std::function<int(const good&)> call) {
        all.push_back({name, has | ORDER | N | A | X, std::move(call)});
    };
    add("ger", M | LDA | Y, [=](const good& g) {
        return invoke(f.ger, g.order, g.m, g.columns, g.alpha, VECTOR_X, VECTOR_Y, MATRIX, TAIL);
    });
    add("syr", UPLO | LDA, [=](const good& g) {
        return invoke(f.syr, g.order, g.uplo, g.columns, g.alpha.real(), VECTOR_X, MATRIX, TAIL);
    });
    add("spr", UPLO, [=](const good& g) {
        return invoke(f.spr, g.order, g.uplo, g.columns, g.alpha.real(), VECTOR_X, PACKED, TAIL);
    });
    add("syr2", UPLO | LDA | Y, [=](const good& g) {
        return invoke(f.syr2, g.order, g.uplo, g.columns, g.alpha, VECTOR_X, VECTOR_Y, MATRIX, TAIL);
    });
    add("spr2", UPLO | Y, [=](const good& g) {
        return invoke(f.spr2, g.order, g.uplo, g.columns, g.alpha, VECTOR_X, VECTOR_Y, PACKED, TAIL);
    });
    if constexpr (F::is_complex)
        add("gerc", M | LDA | Y, [=](const good& g) {
            return invoke(f.gerc, g.order, g.m, g.columns, g.alpha, VECTOR_X, VECTOR_Y, MATRIX, TAIL);
        });
}

#undef VECTOR_Y
#undef VECTOR_X
#undef PACKED
#undef MATRIX
#undef TAIL

// Buffers for a good call that single arguments are then spoilt in.
class rig {
  public:
    rig() {
        REQUIRE(clblasSetup() == clblasSuccess);
        for (owned_buffer& buffer : buffers_) buffer = upload(context_.get(), values_);
    }
    ~rig() { clblasTeardown(); }

    // Spoils an argument and checks the status, and that a call that fails gives no event.
    void expect(int status, const subject& s, const std::function<void(good&)>& spoil) {
        CAPTURE(s.name, status);
        cl_command_queue queues[] = {queue_.get(), nullptr};
        cl_event event = nullptr;
        good g;
        g.a = buffers_[0].get();
        g.x = buffers_[1].get();
        g.y = buffers_[2].get();
        g.r = buffers_[3].get();
        g.s = buffers_[4].get();
        g.queues = queues;
        g.events = &event;
        spoil(g);
        CHECK(s.call(g) == status);
        if (event) {
            CHECK(status == clblasSuccess);
            CHECK(clWaitForEvents(1, &event) == CL_SUCCESS);
            clReleaseEvent(event);
        }
        if (status == clblasSuccess) has_succeeded_ = true;
    }

    // Calls f for each function, and checks that the calls that failed changed
    // nothing, unless others did.
    template <class F>
    void for_each_subject(F&& f) {
        for_each_type([&](auto functions) {
            std::vector<subject> all;
            add_vector_functions(functions, all);
            add_products(functions, all);
            add_updates(functions, all);
            for (const subject& s : all) {
                CAPTURE(s.name, functions.is_amd, functions.is_complex,
                        sizeof(typename decltype(functions)::real));
                has_succeeded_ = false;
                f(s);
                for (owned_buffer& buffer : buffers_) {
                    if (!has_succeeded_)
                        CHECK((download<double>(queue_.get(), buffer.get(), values_.size()) == values_));
                    else
                        buffer = upload(context_.get(), values_);
                }
            }
        });
    }

  private:
    owned_context context_ = make_context();
    owned_queue queue_ = make_queue(context_.get());
    // Bytes for `cells` complex numbers of double precision. A matrix of ones has no zero on its diagonal.
    std::vector<double> values_ = std::vector<double>(2 * cells, 1.0);
    owned_buffer buffers_[5];
    bool has_succeeded_ = false;
};

}  // namespace

TEST_CASE("a good call of every function succeeds, with an event or without") {
    rig r;
    r.for_each_subject([&](const subject& s) {
        r.expect(clblasSuccess, s, [](good&) {});
        r.expect(clblasSuccess, s, [](good& g) { g.events = nullptr; });
    });
}

TEST_CASE("without Setup nothing works") {
    rig r;
    clblasTeardown();
    r.for_each_subject([&](const subject& s) { r.expect(clblasNotInitialized, s, [](good&) {}); });
}

TEST_CASE("queues and wait lists") {
    rig r;
    static const cl_event none = nullptr;
    r.for_each_subject([&](const subject& s) {
        r.expect(clblasInvalidValue, s, [](good& g) { g.queue_count = 0; });
        r.expect(clblasInvalidValue, s, [](good& g) { g.queues = nullptr; });
        r.expect(clblasInvalidCommandQueue, s, [](good& g) { g.queue_count = 2; });
        r.expect(clblasInvalidEventWaitList, s, [](good& g) { g.wait_count = 1; });
        r.expect(clblasInvalidEventWaitList, s, [](good& g) { g.wait_count = 1, g.waits = &none; });
    });
}

TEST_CASE("sizes, increments and leading dimensions") {
    rig r;
    r.for_each_subject([&](const subject& s) {
        const std::size_t huge = std::size_t{1} << 63;
        if (s.has & N) r.expect(clblasInvalidDim, s, [](good& g) { g.columns = 0; });
        if (s.has & N) r.expect(clblasInvalidDim, s, [=](good& g) { g.columns = huge; });
        if (s.has & M) r.expect(clblasInvalidDim, s, [](good& g) { g.m = 0; });
        if (s.has & M) r.expect(clblasInvalidDim, s, [=](good& g) { g.m = huge; });
        if ((s.has & X) && !(s.has & X_IS_NUMBER))
            r.expect(clblasInvalidIncX, s, [](good& g) { g.incx = 0; });
        if ((s.has & Y) && !(s.has & Y_IS_NUMBER))
            r.expect(clblasInvalidIncY, s, [](good& g) { g.incy = 0; });
        if (s.has & LDA) r.expect(clblasInvalidLeadDimA, s, [](good& g) { g.lda = 1, g.k = 2; });
        if (s.has & LDA) r.expect(clblasInvalidLeadDimA, s, [](good& g) { g.lda = 0; });
    });
}

TEST_CASE("buffers") {
    rig r;
    r.for_each_subject([&](const subject& s) {
        // A number of its type's elements, but not as many as the buffer has bytes.
        for (const std::size_t offset : {2 * sizeof(double) * cells, SIZE_MAX - 20, SIZE_MAX / 2}) {
            if (s.has & A) r.expect(clblasInsufficientMemMatA, s, [&](good& g) { g.off_a = offset; });
            if (s.has & X) r.expect(clblasInsufficientMemVecX, s, [&](good& g) { g.off_x = offset; });
            if (s.has & Y) r.expect(clblasInsufficientMemVecY, s, [&](good& g) { g.off_y = offset; });
            if (s.has & R_AS_X) r.expect(clblasInsufficientMemVecX, s, [&](good& g) { g.off_r = offset; });
            if (s.has & R_AS_Y) r.expect(clblasInsufficientMemVecY, s, [&](good& g) { g.off_r = offset; });
            if (s.has & S_AS_Y) r.expect(clblasInsufficientMemVecY, s, [&](good& g) { g.off_s = offset; });
        }
        if (s.has & A) r.expect(clblasInvalidMatA, s, [](good& g) { g.a = nullptr; });
        if (s.has & X) r.expect(clblasInvalidVecX, s, [](good& g) { g.x = nullptr; });
        if (s.has & Y) r.expect(clblasInvalidVecY, s, [](good& g) { g.y = nullptr; });
        if (s.has & R_AS_X) r.expect(clblasInvalidVecX, s, [](good& g) { g.r = nullptr; });
        if (s.has & R_AS_Y) r.expect(clblasInvalidVecY, s, [](good& g) { g.r = nullptr; });
        if (s.has & S_AS_Y) r.expect(clblasInvalidVecY, s, [](good& g) { g.s = nullptr; });
        if (s.has & LDA) r.expect(clblasInsufficientMemMatA, s, [](good& g) { g.lda = 16 * cells; });
        for (const int inc :
             {16 * static_cast<int>(cells), -16 * static_cast<int>(cells), INT_MAX, INT_MIN}) {
            if ((s.has & X) && !(s.has & X_IS_NUMBER))
                r.expect(clblasInsufficientMemVecX, s, [&](good& g) { g.incx = inc; });
            if ((s.has & Y) && !(s.has & Y_IS_NUMBER))
                r.expect(clblasInsufficientMemVecY, s, [&](good& g) { g.incy = inc; });
        }
    });
}

TEST_CASE("buffers of another context") {
    rig r;
    const owned_context other = make_context();
    const owned_buffer foreign = upload(other.get(), std::vector<double>(2 * cells, 1.0));
    r.for_each_subject([&](const subject& s) {
        if (s.has & A) r.expect(clblasInvalidContext, s, [&](good& g) { g.a = foreign.get(); });
        if (s.has & X) r.expect(clblasInvalidContext, s, [&](good& g) { g.x = foreign.get(); });
        if (s.has & (R_AS_X | R_AS_Y))
            r.expect(clblasInvalidContext, s, [&](good& g) { g.r = foreign.get(); });
    });
    // Scratch buffers are not looked at.
    r.for_each_subject(
        [&](const subject& s) { r.expect(clblasSuccess, s, [&](good& g) { g.scratch = foreign.get(); }); });
}

TEST_CASE("enumerations") {
    rig r;
    r.for_each_subject([&](const subject& s) {
        if (s.has & ORDER) r.expect(clblasInvalidValue, s, [](good& g) { g.order = 7; });
        if (s.has & TRANS) r.expect(clblasInvalidValue, s, [](good& g) { g.trans = 7; });
        if (s.has & UPLO) r.expect(clblasInvalidValue, s, [](good& g) { g.uplo = 7; });
        if (s.has & DIAG) r.expect(clblasInvalidValue, s, [](good& g) { g.diag = 2; });
    });
}
