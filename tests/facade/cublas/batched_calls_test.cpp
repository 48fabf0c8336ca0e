// Batches, functions with types as arguments, and transfers, on a backend and against a naive oracle.
#include "calls_rig.hpp"
#include <cuda_bf16.h>

using namespace heron::test;

namespace {

constexpr int m = 4, n = 3, k = 5, ld = 6, items = 3, stride = 40;

// The addresses of items that are `stride` elements apart, in device memory.
template <class T>
device_array<T*> addresses(T* first) {
    std::vector<T*> list;
    for (int i = 0; i < items; ++i) list.push_back(first + i * stride);
    return device_array<T*>(list);
}

}  // namespace

TEST_CASE("batches by addresses and by strides") {
    for_each_blas_type([]<class F>(F f) {
        using T = typename F::scalar;
        constexpr cudaDataType type = data_type(static_cast<T*>(nullptr));
        random_source random(11);
        const T alpha = scalar_of<T>({0.5, 0}), beta = scalar_of<T>({-2, 0});
        numbers a(type, stride * items, random), b(type, stride * items, random),
            c(type, stride * items, random), d(type, stride * items, random);
        const auto lists = std::make_tuple(addresses(a.as<T>()), addresses(b.as<T>()), addresses(c.as<T>()));
        expect(f.gemmBatched(cublas(), CUBLAS_OP_N, CUBLAS_OP_T, m, n, k, &alpha, std::get<0>(lists).data(),
                             ld, std::get<1>(lists).data(), ld, &beta, std::get<2>(lists).data(), ld, items));
        expect(f.gemmStridedBatched(cublas(), CUBLAS_OP_N, CUBLAS_OP_T, m, n, k, &alpha, a.as<T>(), ld,
                                    stride, b.as<T>(), ld, stride, &beta, d.as<T>(), ld, stride, items));
        const std::vector<number> by_address = c.now(), by_stride = d.now();
        const double bound = F::is_single ? 1e-4 : 1e-12;
        for (int64_t item = 0; item < items; ++item)
            for (int64_t j = 0; j < n; ++j)
                for (int64_t i = 0; i < m; ++i) {
                    const int64_t first = item * stride, at = first + i + j * ld;
                    const number sum = dot(full_matrix(a, ld, first),
                                           operated(full_matrix(b, ld, first), CUBLAS_OP_T), i, j, k);
                    CHECK(absolute(by_address[static_cast<size_t>(at)] - (0.5 * sum - 2.0 * c[at])) < bound);
                    CHECK(absolute(by_stride[static_cast<size_t>(at)] - (0.5 * sum - 2.0 * d[at])) < bound);
                }

        numbers x(type, stride * items, random), y(type, stride * items, random),
            z(type, stride * items, random);
        const auto xs = addresses(x.as<T>()), ys = addresses(y.as<T>());
        expect(f.gemvBatched(cublas(), CUBLAS_OP_N, m, n, &alpha, std::get<0>(lists).data(), ld, xs.data(), 2,
                             &beta, ys.data(), 1, items));
        expect(f.gemvStridedBatched(cublas(), CUBLAS_OP_N, m, n, &alpha, a.as<T>(), ld, stride, x.as<T>(), 2,
                                    stride, &beta, z.as<T>(), 1, stride, items));
        const std::vector<number> ynow = y.now(), znow = z.now();
        for (int64_t item = 0; item < items; ++item)
            for (int64_t i = 0; i < m; ++i) {
                const int64_t first = item * stride;
                const elements column = [&](int64_t l, int64_t) { return x[first + 2 * l]; };
                const number sum = 0.5 * dot(full_matrix(a, ld, first), column, i, 0, n);
                CHECK(absolute(ynow[static_cast<size_t>(first + i)] - (sum - 2.0 * y[first + i])) < bound);
                CHECK(absolute(znow[static_cast<size_t>(first + i)] - (sum - 2.0 * z[first + i])) < bound);
            }

        // Of a triangle with a diagonal of ones.
        expect(f.trsmBatched(cublas(), CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                             CUBLAS_DIAG_UNIT, m, n, &alpha, std::get<0>(lists).data(), ld,
                             std::get<1>(lists).data(), ld, items));
        const std::vector<number> solved = b.now();
        for (int64_t item = 0; item < items; ++item)
            for (int64_t j = 0; j < n; ++j)
                for (int64_t i = 0; i < m; ++i) {
                    const int64_t first = item * stride;
                    const elements now = [&](int64_t p, int64_t q) {
                        return solved[static_cast<size_t>(first + p + q * ld)];
                    };
                    const elements triangle =
                        triangular(full_matrix(a, ld, first), CUBLAS_FILL_MODE_LOWER, CUBLAS_DIAG_UNIT);
                    CHECK(absolute(dot(triangle, now, i, j, m) - 0.5 * b[first + i + j * ld]) < 10 * bound);
                }
    });
}

TEST_CASE("products of halves and bfloat16, summed in 32 bits") {
    for (const cudaDataType type : {CUDA_R_16F, CUDA_R_16BF, CUDA_R_32F}) {
        CAPTURE(type);
        random_source random(5);
        numbers a(type, ld * k, random), b(type, ld * k, random), c(type, ld * n, random);
        const float alpha = 0.5f, beta = 2;
        expect(cublasGemmEx(cublas(), CUBLAS_OP_N, CUBLAS_OP_T, m, n, k, &alpha, a.data(), type, ld, b.data(),
                            type, ld, &beta, c.data(), type, ld, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
        const std::vector<number> now = c.now();
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = 0; i < m; ++i) {
                const number sum =
                    dot(full_matrix(a, ld), operated(full_matrix(b, ld), CUBLAS_OP_T), i, j, k);
                const number wanted = 0.5 * sum + 2.0 * c[i + j * ld];
                CHECK(absolute(now[static_cast<size_t>(i + j * ld)] - wanted) <=
                      epsilon(type) * absolute(wanted) + 1e-5);
            }
    }
}

TEST_CASE("products of halves with vectors, into floats") {
    random_source random(9);
    numbers a(CUDA_R_16F, stride * items, random), x(CUDA_R_16F, stride * items, random),
        y(CUDA_R_32F, stride * items, random);
    const float alpha = 0.5f, beta = 2;
    expect(cublasHSSgemvStridedBatched_64(cublas(), CUBLAS_OP_N, m, n, &alpha, a.as<__half>(), ld, stride,
                                          x.as<__half>(), 1, stride, &beta, y.as<float>(), 1, stride, items));
    const std::vector<number> now = y.now();
    for (int64_t item = 0; item < items; ++item)
        for (int64_t i = 0; i < m; ++i) {
            const int64_t first = item * stride;
            const number wanted =
                0.5 * dot(full_matrix(a, ld, first), full_matrix(x, n, first), i, 0, n) + 2.0 * y[first + i];
            CHECK(absolute(now[static_cast<size_t>(first + i)] - wanted) < 1e-5);
        }
}

TEST_CASE("half precision scalars, and the compute types of binaries of CUDA 8 to 10") {
    random_source random(6);
    numbers a(CUDA_R_16F, 16, random), c(CUDA_R_16F, 16, random), d(CUDA_R_16F, 16, random);
    const __half one(1.0f), zero(0.0f);
    expect(cublasHgemm(cublas(), CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, a.as<__half>(), 4, a.as<__half>(),
                       4, &zero, c.as<__half>(), 4));
    expect(cublasGemmEx(cublas(), CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, a.data(), CUDA_R_16F, 4, a.data(),
                        CUDA_R_16F, 4, &zero, d.data(), CUDA_R_16F, 4,
                        static_cast<cublasComputeType_t>(CUDA_R_16F), CUBLAS_GEMM_DEFAULT));
    const std::vector<number> now = c.now();
    CHECK(now == d.now());
    for (int64_t j = 0; j < 4; ++j)
        for (int64_t i = 0; i < 4; ++i) {
            const number wanted = dot(full_matrix(a, 4), full_matrix(a, 4), i, j, 4);
            CHECK(absolute(now[static_cast<size_t>(i + j * 4)] - wanted) <= 1e-3 * absolute(wanted) + 1e-4);
        }
    const float wide = 1;
    expect(
        cublasGemmEx(cublas(), CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &wide, a.data(), CUDA_R_16F, 4, a.data(),
                     CUDA_R_16F, 4, &wide, c.data(), CUDA_R_32F, 4, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
        CUBLAS_STATUS_NOT_SUPPORTED);
}

TEST_CASE("vectors of halves") {
    random_source random(8);
    numbers x(CUDA_R_16F, 20, random), y(CUDA_R_16F, 20, random);
    const float alpha = 0.5f;
    expect(cublasAxpyEx(cublas(), 20, &alpha, CUDA_R_32F, x.data(), CUDA_R_16F, 1, y.data(), CUDA_R_16F, 1,
                        CUDA_R_32F));
    const std::vector<number> sum = y.now();
    double squares = 0;
    for (int64_t i = 0; i < 20; ++i) {
        CHECK(absolute(sum[static_cast<size_t>(i)] - (0.5 * x[i] + y[i])) < 1e-3);
        squares += std::norm(x[i]);
    }
    __half norm;
    expect(cublasNrm2Ex(cublas(), 20, x.data(), CUDA_R_16F, 1, &norm, CUDA_R_16F, CUDA_R_32F));
    CHECK(std::fabs(static_cast<float>(norm) - std::sqrt(squares)) < 2e-3 * std::sqrt(squares));
    expect(cublasScalEx(cublas(), 20, &alpha, CUDA_R_32F, x.data(), CUDA_R_16F, 1, CUDA_R_32F));
    CHECK(absolute(x.now()[3] - 0.5 * x[3]) < 1e-3);
}

TEST_CASE("vectors and matrices between host and device, with gaps on either side") {
    native();
    for (const int size : {1, 2, 3, 4, 8, 16}) {
        CAPTURE(size);
        const int count = 10;
        std::vector<unsigned char> host(static_cast<size_t>(count * size * 3)), back(host.size(), 0);
        for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<unsigned char>(i * 7 + 1);
        device_array<unsigned char> device(host.size());
        for (const int device_inc : {1, 2})
            for (const int host_inc : {1, 3}) {
                std::fill(back.begin(), back.end(), 0);
                expect(cublasSetVector(count, size, host.data(), host_inc, device.data(), device_inc));
                expect(cublasGetVector_64(count, size, device.data(), device_inc, back.data(), host_inc));
                for (int i = 0; i < count; ++i)
                    for (int byte = 0; byte < size * host_inc; ++byte) {
                        const auto at = static_cast<size_t>(i * size * host_inc + byte);
                        CHECK(back[at] == (byte < size ? host[at] : 0));
                    }
            }
        std::fill(back.begin(), back.end(), 0);
        expect(cublasSetMatrix(3, 2, size, host.data(), 4, device.data(), 5));
        expect(cublasGetMatrixAsync(3, 2, size, device.data(), 5, back.data(), 3, nullptr));
        REQUIRE(heron_synchronize(native()) == HERON_SUCCESS);
        for (int j = 0; j < 2; ++j)
            for (int byte = 0; byte < 3 * size; ++byte)
                CHECK(back[static_cast<size_t>(j * 3 * size + byte)] ==
                      host[static_cast<size_t>(j * 4 * size + byte)]);
    }
}
