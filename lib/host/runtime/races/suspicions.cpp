#ifdef CUSET_HOST_RACES

#include "suspicions.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "accesses.h"
#include "cuset_host/faults.h"
#include "race_words.h"

namespace cuset_host::races {

namespace {

struct suspicion {
    std::uint32_t earlier, later;  // places
    std::uintptr_t address;
    std::size_t bytes;
    unsigned char value[16];  // that was written
    std::string text;
    bool is_same = false;     // the write left the value as it was
    bool by_several = false;  // several threads have written that value
    bool is_told = false;     // it was surely wrong

    void tell() {
        is_told = true;
        tell_race(earlier, later, [&] { return text; });
    }
};
std::vector<suspicion> suspicions;

/// Writes of the value that was there before, in an array of device memory: the text of the first.
std::string same_in_array;

/// A write of the value that another thread had written, and whether there has been one.
std::string same_write;
bool has_written_same = false;

/// A flag that threads set and look at without order, and need not see at once: one scalar, to
/// which one value is written, by several threads or true.
bool is_flag(const suspicion& s) {
    if (s.by_several) return true;
    return s.value[0] <= 1 &&
           std::all_of(s.value + 1, s.value + s.bytes, [](unsigned char c) { return c == 0; });
}

}  // namespace

void suspect(std::uintptr_t address, std::size_t bytes, const access_mark& before,
             bool before_wrote, std::uint32_t place, bool is_same) {
    for (suspicion& s : suspicions)
        if (s.earlier == before.place && s.later == place && s.is_same == is_same) {
            const bool is_array = address < s.address || address >= s.address + s.bytes;
            if (is_array && !(is_same && current->holder_of(address) == nullptr))
                s.tell();
            else if (is_array && same_in_array.empty())
                same_in_array = s.text;
            return;
        }
    suspicion made{before.place, place, address, std::min<std::size_t>(bytes, 16), {}, {}};
    std::memcpy(made.value, reinterpret_cast<const void*>(address), made.bytes);
    made.text =
        race_text(address, bytes, before, before_wrote, place, before_wrote ? "reads" : "writes");
    made.is_same = is_same;
    suspicions.push_back(std::move(made));
}

void look_at_suspicions(std::uintptr_t address, std::size_t bytes, bool changed) {
    for (suspicion& s : suspicions) {
        if (s.is_same || address >= s.address + s.bytes || s.address >= address + bytes) continue;
        if (changed && std::memcmp(s.value, reinterpret_cast<const void*>(s.address), s.bytes) != 0)
            s.tell();
        s.by_several |= !changed;
    }
}

bool has_same_write() { return has_written_same; }

void keep_same_write(std::string text) {
    has_written_same = true;
    same_write = std::move(text);
}

void judge_suspicions() {
    for (suspicion& s : suspicions)
        if (!s.is_same && !is_flag(s)) s.tell();
    static bool has_noted = false;
    if (!same_in_array.empty() && !std::exchange(has_noted, true))
        note(same_in_array + ": the value is the same, which other data may change");
    same_in_array.clear();
    const auto flag = std::find_if(suspicions.begin(), suspicions.end(),
                                   [](const suspicion& s) { return !s.is_told && !s.is_same; });
    if (flag != suspicions.end() && !std::exchange(has_noted, true))
        note(flag->text + "; it is taken for a flag that may be seen late");
    if (!same_write.empty() && !std::exchange(has_noted, true))
        note(same_write + "; both write the same value");
    same_write.clear();
}

void forget_suspicions() { suspicions.clear(); }

}  // namespace cuset_host::races

#endif
