// Records wait here between the steps of a curation.
#include <cstring>

#include "curation_state.h"

namespace cuset {

namespace {

/// What stands before the texts of a record in the spool.
struct stored_head {
    value_place place;
    std::uint32_t notes_bytes = 0, id_bytes = 0;
};

}  // namespace

status curation::state::put(std::size_t record, std::string_view notes, std::string_view id,
                            std::string_view line, const value_place& place) {
    const stored_head head{place, static_cast<std::uint32_t>(notes.size()),
                           static_cast<std::uint32_t>(id.size())};
    curated_entry& e = entries[record];
    CUSET_ASSIGN(e.offset, texts->append({reinterpret_cast<const char*>(&head), sizeof head}));
    for (const std::string_view text : {notes, id, line}) {
        CUSET_ASSIGN(const std::uint64_t ignored, texts->append(text));
        static_cast<void>(ignored);
    }
    e.bytes = texts->size() - e.offset;
    return {};
}

status curation::state::get(std::size_t record, stored_record& stored) {
    const curated_entry& e = entries[record];
    CUSET_TRY(texts->read(e.offset, e.bytes, stored.bytes));
    stored_head head;
    std::memcpy(&head, stored.bytes.data(), sizeof head);
    stored.bytes.append(line_padding, ' ');
    std::string_view texts_left(stored.bytes.data(), e.bytes);
    const auto next = [&](std::size_t bytes) {
        const std::string_view text = texts_left.substr(0, bytes);
        texts_left.remove_prefix(text.size());
        return text;
    };
    next(sizeof head);
    stored.place = head.place;
    stored.notes = next(head.notes_bytes);
    stored.id = next(head.id_bytes);
    stored.line = texts_left;
    return {};
}

status curation::state::drop(std::size_t record, drop_reason reason, const std::string& more) {
    stored_record stored;
    CUSET_TRY(get(record, stored));
    std::string notes(stored.notes);
    if (!notes.empty() && !more.empty()) notes += ',';
    notes += more;
    entries[record].reason = reason;
    return put(record, notes, stored.id, stored.line, stored.place);
}

}  // namespace cuset
