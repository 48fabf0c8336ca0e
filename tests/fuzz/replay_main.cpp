// A fuzz target without a fuzzer: the files of the folders that are named, and so many inputs made from them
// and from HERON_TEST_SEED. usage: TARGET COUNT FOLDER...
#include "input.hpp"
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <unistd.h>
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

bytes current;

// Writes the input that the process ends on, as xxd -r -p reads it.
void show_current(int signal) {
    constexpr char digits[] = "0123456789abcdef";
    bool written = write(2, "input: ", 7) == 7;
    for (const uint8_t b : current) {
        const char pair[2] = {digits[b >> 4], digits[b & 15]};
        written &= write(2, pair, 2) == 2;
    }
    written &= write(2, "\n", 1) == 1;
    std::signal(signal, SIG_DFL);
    std::raise(written ? signal : SIGABRT);
}

void try_input(const bytes& input) {
    current = input;
    LLVMFuzzerTestOneInput(current.data(), current.size());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    const std::vector<bytes> corpus = read_corpus(argc - 2, argv + 2);
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE}) std::signal(signal, &show_current);
    for (const bytes& input : corpus) try_input(input);
    const char* const seed = std::getenv("HERON_TEST_SEED");
    std::mt19937 random(seed ? static_cast<unsigned>(std::atoi(seed)) : 1u);
    const int count = std::atoi(argv[1]);
    for (int k = 0; k < count; ++k) {
        const bytes& base = corpus[random() % corpus.size()];
        try_input(changed(base, corpus[random() % corpus.size()], random));
    }
    std::printf("%zu inputs of the corpus, %d made from them\n", corpus.size() - 1, count);
    return 0;
}
