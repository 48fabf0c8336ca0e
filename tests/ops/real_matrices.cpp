#include "real_matrices.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace heron::test {

entries from_csr(const heron::tools::csr_matrix& m, cudaDataType type) {
    entries result{m.rows, m.cols, {}};
    result.list.reserve(m.columns.size());
    for (std::int64_t row = 0; row < m.rows; ++row)
        for (std::int64_t k = m.offsets[static_cast<std::size_t>(row)];
             k < m.offsets[static_cast<std::size_t>(row + 1)]; ++k) {
            const auto at = static_cast<std::size_t>(k);
            const double imag = !is_complex(type) ? 0.0 : m.is_complex ? m.imag[at] : 0.5 * m.real[at];
            result.list.push_back({row, m.columns[at], rounded(type, number{m.real[at], imag})});
        }
    return result;
}

void for_each_real_matrix(
    const char* what,
    const std::function<bool(const std::string& name, const heron::tools::csr_matrix& matrix)>& check) {
    const char* const folder = std::getenv("HERON_TEST_DATA");
    if (!folder || !*folder) {
        std::printf("SKIPPED: %s; set HERON_TEST_DATA to a folder of .mtx or .mtx.gz files\n", what);
        return;
    }
    int count = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        const std::string name = file.path().filename().string();
        if (!name.ends_with(".mtx") && !name.ends_with(".mtx.gz")) continue;
        INFO(name);
        count += check(name, heron::tools::load_matrix(file.path().string()));
    }
    std::printf("%d real matrices\n", count);
    CHECK(count > 0);
}

}  // namespace heron::test
