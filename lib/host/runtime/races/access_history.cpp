#ifdef CUSET_HOST_RACES

#include "access_history.h"

#include <sys/mman.h>

#include <algorithm>

namespace cuset_host::races {

/// `of_words`: large pages, since neighbours are touched together.
static access_history* reserved(std::size_t count, bool of_words) {
    void* const made = ::mmap(nullptr, count * sizeof(access_history), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) return nullptr;
    if (of_words) ::madvise(made, count * sizeof(access_history), MADV_HUGEPAGE);
    return static_cast<access_history*>(made);
}

history_region::history_region(std::uintptr_t base, std::size_t bytes)
    : base_(base / word * word),
      bytes_((bytes + base % word + word - 1) / word * word),
      words_(reserved(bytes_ / word, true)),
      parts_(reserved(bytes_, false)) {
    if (words_ == nullptr || parts_ == nullptr) bytes_ = 0;
}

history_region::~history_region() {
    if (words_ != nullptr) ::munmap(words_, bytes_ / word * sizeof(access_history));
    if (parts_ != nullptr) ::munmap(parts_, bytes_ * sizeof(access_history));
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
