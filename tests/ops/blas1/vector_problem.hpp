// Strided vectors as a test sees them: all of their memory, gaps included.
#pragma once

#include "dense_problem.hpp"

namespace heron::test {

// n numbers, |inc| apart; gaps hold NaN. memory is what BLAS's argument points to.
struct vector_case {
    heron_type type = HERON_R_64F;
    std::int64_t n = 0, inc = 1;
    std::vector<number> memory{};

    // Where BLAS finds element i.
    std::size_t index(std::int64_t i) const {
        return static_cast<std::size_t>(inc < 0 ? (i - n + 1) * inc : i * inc);
    }
    number& at(std::int64_t i) { return memory[index(i)]; }
    number at(std::int64_t i) const { return memory[index(i)]; }
};

vector_case random_vector(random_source& random, heron_type type, std::int64_t n, std::int64_t inc);
// All numbers NaN.
void poison(vector_case& v);

// A vector on the device, at an address that has its elements' alignment and no more.
class device_vector {
  public:
    explicit device_vector(const vector_case& v);
    void* data() const { return memory_.data(); }
    vector_case download() const;

    // One of the first elements, whose address is aligned as wide accesses want it, or only as its type does.
    std::int64_t lead(bool aligned) const;
    char* element(std::int64_t at) const;

  private:
    vector_case shape_;
    device_memory memory_;
};

// Compares all of a vector's memory: NaNs are equal, and other numbers may differ by `bound`. Returns the
// first difference, or "".
std::string difference(const vector_case& actual, const vector_case& expected, double bound);

// A number in the handle's pointer mode, host or device, which this sets until the end of its life.
class scalar_place {
  public:
    scalar_place(bool on_device, heron_type type, std::vector<number> values);
    ~scalar_place();
    scalar_place(const scalar_place&) = delete;
    scalar_place& operator=(const scalar_place&) = delete;
    void* data();
    std::vector<number> read();

  private:
    bool on_device_;
    heron_type type_;
    std::vector<unsigned char> host_;
    device_array<unsigned char> device_;
};

heron_type scalar_type(heron_type type);
heron_type real_type(heron_type type);
double unit(heron_type type);

// All types, or on OpenCL, whose compiler takes its time, three.
std::vector<heron_type> vector_types();
std::vector<heron_type> matrix_types();

}  // namespace heron::test
