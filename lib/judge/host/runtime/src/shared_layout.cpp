#include "shared_layout.h"

#include "cuset_host/execution.h"

namespace cuset_host {

namespace {

std::size_t& layout_end() {
    static std::size_t end = 0;  // places are taken before main, in any order
    return end;
}

}  // namespace

std::size_t shared_layout_bytes() { return layout_end(); }

std::size_t reserve_shared(std::size_t bytes, std::size_t, const char*) {
    constexpr std::size_t apart = 128;
    const std::size_t begin = layout_end();
    layout_end() = begin + (bytes + apart - 1) / apart * apart;
    return begin;
}

}  // namespace cuset_host
