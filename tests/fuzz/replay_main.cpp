// A fuzz target without a fuzzer: the files of the folders that are named, and so many inputs made from them
// and from a seed. usage: TARGET COUNT FOLDER...
#include "input.hpp"
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

namespace {

using bytes = std::vector<uint8_t>;

std::vector<bytes> read_corpus(int count, char** folders) {
    std::vector<bytes> corpus{{}};
    for (int k = 0; k < count; ++k)
        for (const auto& entry : std::filesystem::directory_iterator(folders[k])) {
            std::ifstream file(entry.path(), std::ios::binary);
            corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        }
    return corpus;
}

// Bytes changed, put in, left out or taken from another input.
bytes changed(bytes input, const bytes& other, std::mt19937& random) {
    const auto below = [&](size_t bound) { return bound ? random() % bound : 0; };
    for (size_t turn = 0; turn <= below(8); ++turn) {
        const auto at = input.begin() + static_cast<std::ptrdiff_t>(below(input.size() + 1));
        switch (below(4)) {
            case 0: input.insert(at, static_cast<uint8_t>(random())); break;
            case 1:
                if (at != input.end()) input.erase(at);
                break;
            case 2:
                if (at != input.end()) *at = static_cast<uint8_t>(random());
                break;
            case 3:
                if (!other.empty()) {
                    const auto first = other.begin() + static_cast<std::ptrdiff_t>(below(other.size()));
                    input.insert(at, first, other.end());
                }
        }
    }
    if (input.size() > 4096) input.resize(4096);
    return input;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    const std::vector<bytes> corpus = read_corpus(argc - 2, argv + 2);
    for (const bytes& input : corpus) LLVMFuzzerTestOneInput(input.data(), input.size());
    std::mt19937 random(1);
    const int count = std::atoi(argv[1]);
    for (int k = 0; k < count; ++k) {
        const bytes& base = corpus[random() % corpus.size()];
        const bytes input = changed(base, corpus[random() % corpus.size()], random);
        LLVMFuzzerTestOneInput(input.data(), input.size());
    }
    std::printf("%zu inputs of the corpus, %d made from them\n", corpus.size() - 1, count);
    return 0;
}
