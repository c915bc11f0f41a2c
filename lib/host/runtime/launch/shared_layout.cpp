#include "shared_layout.h"

#include "checks/checks.h"
#include "cuset_host/threads/execution.h"

namespace cuset_host {

namespace {

// The room between variables in checked programs, for accesses past the end of one.
constexpr std::size_t apart = checks::are_on ? 512 : 0, alignment = 128;

/// Places are taken before main, in any order.
std::vector<shared_variable>& variables() {
    static std::vector<shared_variable> all;
    return all;
}

std::size_t end_of(const shared_variable& v) {
    return (v.offset + v.bytes + apart + alignment - 1) / alignment * alignment;
}

}  // namespace

std::size_t shared_layout_bytes() { return variables().empty() ? 0 : end_of(variables().back()); }

const std::vector<shared_variable>& shared_variables() { return variables(); }

std::size_t reserve_shared(std::size_t bytes, int number) {
    std::size_t begin = shared_layout_bytes();
    if (bytes >= shared_alignment)
        begin = (begin + shared_alignment - 1) / shared_alignment * shared_alignment;
    variables().push_back({begin, bytes, number, ""});
    return begin;
}

void name_shared(std::size_t offset, const char* name) {
    for (auto& v : variables())
        if (v.offset == offset) v.name = name;
}

}  // namespace cuset_host
