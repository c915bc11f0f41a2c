#ifdef CUSET_HOST_RACES

#include "access_history.h"

#include <sys/mman.h>

#include <algorithm>

namespace cuset_host::races {

template <class T>
static T* reserved(std::size_t count) {
    void* const made = ::mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) return nullptr;
    // What is left out between two pages that are looked at takes no memory in small pages alone.
    ::madvise(made, count * sizeof(T), MADV_NOHUGEPAGE);
    return static_cast<T*>(made);
}

static std::size_t words_of_bits(std::size_t pages) { return pages / 64 + 1; }

history_region::history_region(std::uintptr_t base, std::size_t bytes)
    : base_(base / word * word),
      bytes_((bytes + base % word + word - 1) / word * word),
      words_(reserved<access_history>(bytes_ / word)),
      parts_(reserved<access_history>(bytes_)),
      left_out_(reserved<std::uint64_t>(words_of_bits(bytes_ / page_bytes))) {
    if (words_ == nullptr || parts_ == nullptr || left_out_ == nullptr) bytes_ = 0;
}

history_region::~history_region() {
    if (words_ != nullptr) ::munmap(words_, bytes_ / word * sizeof(access_history));
    if (parts_ != nullptr) ::munmap(parts_, bytes_ * sizeof(access_history));
    if (left_out_ != nullptr)
        ::munmap(left_out_, words_of_bits(bytes_ / page_bytes) * sizeof(std::uint64_t));
}

void history_region::choose_pages(std::uintptr_t begin, std::size_t bytes) {
    if (bytes == 0) return;
    const std::size_t first = (begin - base_) / page_bytes,
                      last = (begin + bytes - 1 - base_) / page_bytes;
    const std::size_t one_in = bytes / looked_at_bytes + (bytes > looked_at_bytes ? 1 : 0);
    for (std::size_t page = first; page <= last; ++page) {
        // Fibonacci hashing, so that no stride of the program is the distance of two such pages.
        const std::size_t chosen = page * 0x9e3779b97f4a7c15 >> 40;
        // The array's first and last page may hold the end of another.
        const bool is_looked_at =
            one_in <= 1 || page == first || page == last || chosen % one_in == 0;
        const std::uint64_t bit = std::uint64_t{1} << (page % 64);
        std::uint64_t& bits = left_out_[page / 64];
        bits = is_looked_at ? bits & ~bit : bits | bit;
    }
}

void history_region::forget(std::uintptr_t begin, std::size_t bytes) {
    const std::uintptr_t end = begin + bytes;
    constexpr std::size_t many = std::size_t{1} << 20;
    if (bytes >= many && begin % 4096 == 0 && bytes % 4096 == 0) {
        ::madvise(words_ + (begin - base_) / word, bytes / word * sizeof(access_history),
                  MADV_DONTNEED);
        return;
    }
    std::fill(words_ + (begin - base_) / word, words_ + (end - base_ + word - 1) / word,
              access_history());
}

}  // namespace cuset_host::races

#endif
