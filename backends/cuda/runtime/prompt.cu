#include "prompt.hpp"
#include "stamped_page.hpp"
#include <atomic>
#include <chrono>
#include <cstring>

namespace heron::HERON_LEVEL {
namespace {

constexpr int most_words = 2;

// Words of 32 bits, each below the stamp of the wait that it is for.
using waiting_page = stamped_page<uint64_t, most_words, 256, 0xffffffffu>;

__global__ void hand_over(const unsigned* from, uint64_t stamp, volatile uint64_t* to) {
    to[threadIdx.x] = stamp << 32 | from[threadIdx.x];
}

class waiting_place {
  public:
    waiting_place() noexcept : words_(waiting_page::get().take(stamp_)) {}
    ~waiting_place() {
        if (words_) waiting_page::get().give_back(words_);
    }
    waiting_place(const waiting_place&) = delete;
    waiting_place& operator=(const waiting_place&) = delete;

    explicit operator bool() const { return words_ != nullptr; }

    void ask(cuda_device& device, const unsigned* from, int words) {
        device.launch_blocks(hand_over, 1, words, 0, from, uint64_t{stamp_}, words_);
    }

    // Whether the words are there.
    bool look(unsigned* to, int words) const {
        for (int i = 0; i < words; ++i) {
            const uint64_t seen = std::atomic_ref(words_[i]).load(std::memory_order_acquire);
            if (seen >> 32 != stamp_) return false;
            to[i] = static_cast<unsigned>(seen);
        }
        return true;
    }

    // The same until it is worth letting other threads have the processor.
    bool look_for_a_while(unsigned* to, int words) const {
        using clock = std::chrono::steady_clock;
        constexpr int looks = 64;
        constexpr auto patience = std::chrono::microseconds(200);
        const auto begin = clock::now();
        do {
            for (int i = 0; i < looks; ++i)
                if (look(to, words)) return true;
        } while (clock::now() - begin < patience);
        return false;
    }

  private:
    uint32_t stamp_ = 0;
    uint64_t* words_;
};

// Where that is not so the host may not touch managed memory until the device is idle, which programs take
// for granted behind a function that waits.
bool works_beside_host(const cuda_device& device) {
    int does = 0;
    check(cudaDeviceGetAttribute(&does, cudaDevAttrConcurrentManagedAccess, device.number()));
    return does != 0;
}

bool read_at_once(cuda_device& device, unsigned* to, const unsigned* from, int words) {
    if (cuda::is_capturing(device.stream()) || !works_beside_host(device)) return false;
    waiting_place place;
    if (!place) return false;
    place.ask(device, from, words);
    if (place.look_for_a_while(to, words)) return true;
    check(cudaStreamSynchronize(device.stream()));
    return place.look(to, words);
}

template <class T>
void read_or_copy(cuda_device& device, T* to, const T* from) {
    constexpr int words = sizeof(T) / sizeof(unsigned);
    static_assert(words <= most_words);
    unsigned seen[words];
    if (read_at_once(device, seen, reinterpret_cast<const unsigned*>(from), words))
        std::memcpy(to, seen, sizeof *to);
    else
        device.read(to, from, sizeof *to);
}

}  // namespace

void read_number(cuda_device& device, i32* to, const i32* from) { read_or_copy(device, to, from); }
void read_number(cuda_device& device, i64* to, const i64* from) { read_or_copy(device, to, from); }

}  // namespace heron::HERON_LEVEL
