#pragma once
// Which large tile a dense product gets where it has been measured: by HERON_CUDA_GEMM, or by what `heron
// tune gemm` found for the device. Entries are lines, in the variable with semicolons between them:
// "c64-NN-4096 tile 64 64", or less exact "c64-NN tile 64 64" and "c64 tile 64 64".
#include <heron/types.h>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heron::cuda {

// By the operands' layouts, rank updates by A's, products with a symmetric matrix by its side.
enum class product_kind { any, nn, nt, tn, tt, rank_n, rank_t, left, right };

struct tile_choice {
    int rows, columns;
};

class gemm_choices {
  public:
    gemm_choices() = default;
    gemm_choices(const std::string& entries, char separator);

    // Entries, as they were given, that mean nothing.
    const std::vector<std::string>& ignored() const { return ignored_; }

    // Of the most exact entry.
    std::optional<tile_choice> find(heron_type type, product_kind kind, int64_t m, int64_t n,
                                    int64_t k) const;

  private:
    struct entry {
        heron_type type;
        product_kind kind;
        std::string size;  // empty: any
        tile_choice choice;
    };
    static std::optional<entry> parse(const std::string& text);

    std::vector<entry> entries_{};
    std::vector<std::string> ignored_{};
};

// The name of the class of sizes that a product belongs to: "low" and "narrow" where there are few rows or
// few columns, "long" where the inner dimension is, and else the power of two next to the sides of C.
std::string size_class(int64_t m, int64_t n, int64_t k);

// Those of a device; in cuda_plugin.cpp.
gemm_choices choices_for(int device);

}  // namespace heron::cuda
