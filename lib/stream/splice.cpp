#include "cuset/stream/json_writer.h"
#include "cuset/stream/pair_record.h"

namespace cuset {

void splice(const pair_record& record, std::string_view own_key, std::string_view value,
            std::string& out) {
    if (record.has_own_key) {
        out += record.line.substr(0, record.own_begin);
        out += value;
        out += record.line.substr(record.own_end);
    } else {
        out += record.line.substr(0, record.closing_brace);
        if (!record.is_empty_object) out += ',';
        out += json_of(own_key) + ':';
        out += value;
        out += record.line.substr(record.closing_brace);
    }
    out += '\n';
}

std::uint64_t fnv1a_64(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001b3;
    }
    return hash;
}

}  // namespace cuset
