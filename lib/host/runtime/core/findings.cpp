#include "findings.h"

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <set>
#include <utility>

#include "channel.h"
#include "cuset_host/faults.h"
#include "settings.h"
#include "system_calls.h"

namespace cuset_host {

namespace {

/// Never destroyed: destructors of the program's variables are looked at too.
struct told_findings {
    std::mutex mutex;
    std::set<std::string> places;
    std::set<std::pair<std::uintptr_t, std::uintptr_t>> pairs;
};
told_findings& told() {
    static told_findings& made = *new told_findings;
    return made;
}

/// "race 12" of a message with "line 12".
std::string place_in(const std::string& kind, const std::string& message) {
    const std::size_t at = message.find("line ");
    if (at == message.npos) return kind;
    const std::string number = message.substr(at + 5);
    return kind + ' ' + number.substr(0, number.find_first_not_of("0123456789"));
}

}  // namespace

void tell_fault(const char* kind, const std::string& message) {
    constexpr std::size_t most = 20;
    const std::lock_guard lock(told().mutex);
    if (!told().places.insert(place_in(kind, message)).second) return;
    const std::string line = std::string(kind) + ": " + message;
    report("fault " + line);
    const std::string shown = "cuset-host: " + line + '\n';
    if (!settings().is_shown) write_plainly(STDERR_FILENO, shown.data(), shown.size());
    if (told().places.size() < most) return;
    std::fflush(stdout);
    end_plainly(fault_exit_code);
}

bool is_new_place(const char* kind, std::uintptr_t earlier, std::uintptr_t later) {
    static std::atomic<bool> has_begun{false};
    if (!has_begun.exchange(true)) {
        char line[64] = "fault ";
        std::size_t length = 6;
        for (; *kind != '\0' && length < sizeof line; ++kind) line[length++] = *kind;
        report(line, length);
    }
    const std::lock_guard lock(told().mutex);
    return told().pairs.emplace(earlier, later).second;
}

}  // namespace cuset_host
