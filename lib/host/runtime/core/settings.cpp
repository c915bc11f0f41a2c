#include "settings.h"

#include <cstddef>

namespace cuset_host {

namespace {

run_settings taken;

/// The beginning of the value, or null if the word is no `NAME=…`. It does not use the C library:
/// the program may have its own strlen.
char* value_of(char* word, const char* name) {
    for (; *name != '\0'; ++name, ++word)
        if (*word != *name) return nullptr;
    return *word == '=' ? word + 1 : nullptr;
}

std::uint64_t number_in(const char* text) {
    std::uint64_t number = 0;
    for (; *text >= '0' && *text <= '9'; ++text)
        number = number * 10 + static_cast<std::uint64_t>(*text - '0');
    return number;
}

void read(char* word) {
    if (const char* v = value_of(word, "CUSET_HOST_ARCH"))
        for (std::size_t i = 0; i + 1 < sizeof taken.architecture && v[i] != '\0'; ++i)
            taken.architecture[i] = v[i];
    if (const char* v = value_of(word, "CUSET_HOST_SEED")) taken.seed = number_in(v);
    if (const char* v = value_of(word, "CUSET_HOST_THREADS")) taken.threads = number_in(v);
    if (const char* v = value_of(word, "CUSET_HOST_MEMORY")) taken.memory_bytes = number_in(v);
    if (const char* v = value_of(word, "CUSET_HOST_DIGESTS")) taken.digests = *v == '1';
    if (const char* v = value_of(word, "CUSET_HOST_STREAMS")) taken.asynchronous = *v == 'a';
    if (const char* v = value_of(word, "CUSET_HOST_SEARCH")) taken.searches_all = *v == 'a';
    if (const char* v = value_of(word, "CUSET_HOST_OUTPUT")) taken.is_shown = *v == 's';
    if (const char* v = value_of(word, "CUSET_HOST_KEYS")) taken.without_keys = *v == '0';
    if (const char* v = value_of(word, "CUSET_HOST_LAUNCHES"))
        taken.counted_launches = number_in(v);
    if (const char* v = value_of(word, "CUSET_HOST_CACHE")) taken.cache_bytes = number_in(v);
    if (const char* v = value_of(word, "CUSET_HOST_MULTIPROCESSORS"))
        taken.multiprocessors = number_in(v);
    if (const char* v = value_of(word, "CUSET_HOST_CHANNEL"))
        taken.channel = static_cast<int>(number_in(v));
}

bool is_ours(const char* word) {
    for (const char* begin = "CUSET_HOST_"; *begin != '\0'; ++begin, ++word)
        if (*word != *begin) return false;
    return true;
}

}  // namespace

const run_settings& settings() { return taken; }

std::uint64_t kept_memory() {
    constexpr std::uint64_t without_limit = std::uint64_t{1} << 30;
    return taken.memory_bytes == 0 ? without_limit : taken.memory_bytes / 4;
}

void take_settings(char** environment) {
    char** kept = environment;
    for (char** at = environment; *at != nullptr; ++at) {
        if (!is_ours(*at)) {
            *kept++ = *at;
            continue;
        }
        read(*at);
        for (volatile char* byte = *at; *byte != '\0'; ++byte) *byte = '\0';
    }
    *kept = nullptr;
}

}  // namespace cuset_host
