// The reader of Matrix Market files, plain and compressed: an error that names the file, or a matrix whose
// elements are inside it.
#include "input.hpp"
#include "matrix/matrix_market.hpp"
#include <sys/mman.h>
#include <unistd.h>

using namespace heron::fuzz;

namespace {

// A file in memory with this content, by its name.
std::string file_with(const uint8_t* data, size_t size) {
    static const int descriptor = memfd_create("input", 0);
    must(ftruncate(descriptor, 0) == 0 && pwrite(descriptor, data, size, 0) == static_cast<ssize_t>(size),
         "no file for the input");
    return "/proc/self/fd/" + std::to_string(descriptor);
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string file = file_with(data, size);
    try {
        const heron::tools::coo_matrix m = heron::tools::read_matrix_market(file);
        must(m.row.size() == m.col.size() && m.row.size() == m.real.size(), "arrays of different lengths");
        must(m.imag.size() == (m.is_complex ? m.real.size() : 0), "imaginary parts of another length");
        for (size_t k = 0; k < m.row.size(); ++k)
            must(m.row[k] >= 0 && m.row[k] < m.rows && m.col[k] >= 0 && m.col[k] < m.cols,
                 "an element outside the matrix");
    } catch (const heron::tools::matrix_market_error& e) {
        must(std::string(e.what()).starts_with(file), "an error that does not name the file");
    }
    return 0;
}
