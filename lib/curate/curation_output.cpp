// What a curation writes.
#include <algorithm>

#include "curation_state.h"
#include "cuset/base/visible_text.h"
#include "cuset/curate/checks.h"
#include "cuset/curate/min_hash.h"
#include "cuset/curate/source_files.h"
#include "cuset/stream/json_writer.h"
#include "cuset/syntax/tagger.h"

namespace cuset {

namespace {

constexpr std::array<std::string_view, drop_reasons> reason_names = {
    "kept",       "bad_record",     "no_task",         "no_twin",        "repeated",
    "no_verdict", "other_task",     "not_judged",      "failed",         "no_code",
    "too_short",  "too_long",       "no_thought",      "long_thought",   "language",
    "no_kernel",  "comments",       "license",         "secret",         "own_path",
    "benchmark",  "not_compiled",   "exact_duplicate", "near_duplicate", "not_picked",
    "no_rival",   "no_instruction", "cut_instruction"};

}  // namespace

std::string_view name_of(drop_reason reason) {
    return reason_names[static_cast<std::size_t>(reason)];
}

std::string as_utf8(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const char32_t c = next_character(text, at);
        append_utf8(c == ill_formed ? char32_t{0xfffd} : c, out);
    }
    return out;
}

void curation::state::append_value(std::size_t record, std::string_view notes, std::string& out) {
    const curated_entry& e = entries[record];
    const bool kept = e.reason == drop_reason::none;
    json_writer json(out);
    json.begin_object().member("kept", kept);
    if (!kept) json.member("reason", name_of(e.reason));
    if (kept) {
        static constexpr std::array<std::string_view, 5> rules = {"all", "first", "shortest",
                                                                  "fastest", "likeliest"};
        std::string why = options.duplicates == duplicate_search::none ? "it passed every check"
                          : e.others == 0                              ? "nothing is like it"
                                          : "it stands for " + std::to_string(e.others) +
                                                (e.others == 1 ? " duplicate" : " duplicates");
        if (options.concise)
            why += (e.is_concise ? ", concise of " : ", fast of ") + std::to_string(e.choices);
        else if (e.choices > 0 && (options.pick != pick_rule::all || options.most > 0))
            why += ", " + std::string(rules[static_cast<std::size_t>(options.pick)]) + " of " +
                   std::to_string(e.choices);
        json.member("why", why);
        if (e.others > 0) json.member("duplicates", std::uint64_t{e.others});
    }
    if (e.difficulty >= 0) json.member("difficulty", e.difficulty, 6);
    if (e.of != no_number) {
        stored_record other;
        if (get(e.of, other)) json.member("of", as_utf8(other.id));
    }
    json.end_object();
    if (!notes.empty()) out.insert(out.size() - 1, ',' + std::string(notes));
}

/// Appends the Jaccard index with the record that is kept. It may lie below --similar: others may
/// be similar to both.
status curation::state::note_similarity(std::string_view line, std::uint32_t kept,
                                        record_examiner& examiner, std::string& notes) {
    stored_record other;
    CUSET_TRY(get(kept, other));
    std::array<std::vector<std::uint64_t>, 2> sets;
    CUSET_TRY(examiner.elements_of(line, sets[0]));
    CUSET_TRY(examiner.elements_of(other.line, sets[1]));
    for (auto& set : sets) make_set(set);
    if (sets[0].empty() || sets[1].empty()) return {};
    notes +=
        (notes.empty() ? "\"similar\":" : ",\"similar\":") + json_of(jaccard(sets[0], sets[1]), 4);
    return {};
}

static std::string in_brackets(std::string_view text) {
    return text.empty() ? std::string() : " (" + std::string(text) + ')';
}

void curation::state::count(const pair_record& record, curation_counts& counts) const {
    static thread_local tagger tags;
    const tagging tagged = tags.tag(record.response);
    ++counts.languages[std::string(tagged.lang)];
    counts.kernels += static_cast<std::uint64_t>(
        std::count_if(tagged.spans.begin(), tagged.spans.end(),
                      [](const code_span& span) { return span.kind == span_kind::kernel; }));
    bool has_code = false;
    code_tokens code;
    code.read(program_in(record.response, has_code), {.hashes = false, .names = false});
    ++counts.licenses[license_of(record, code, options)];
    counts.sizes.push_back(static_cast<std::uint32_t>(record.response.size()));
    if (const auto family = member_text(record, "family")) ++counts.families[*family];
    if (const auto model = member_text(record, "model")) ++counts.sources["model " + *model];
    if (member_text(record, "sha256")) {
        const std::string path = member_text(record, "path").value_or("");
        ++counts.sources["source files" + in_brackets(ending_of_source(path))];
    }
}

result<curation_counts> curation::write(const curation_outputs& to) {
    state& s = *state_;
    curation_counts counts;
    counts.verified = s.verified;
    record_examiner examiner(s.options);
    stored_record stored;
    std::string value;
    for (std::size_t i = 0; i < s.entries.size(); ++i) {
        const curated_entry& e = s.entries[i];
        if (!e.is_mine) continue;
        ++counts.read;
        const bool kept = e.reason == drop_reason::none;
        if (kept) ++counts.kept;
        if (!kept) ++counts.dropped[static_cast<std::size_t>(e.reason)];
        if (e.reason == drop_reason::bad_record) ++counts.bad;
        output* const out = kept ? to.kept : to.rejects;
        const bool described = kept && s.options.describe;
        if (out == nullptr && !described) continue;
        CUSET_TRY(s.get(i, stored));
        if (described) {
            CUSET_TRY(examiner.read(stored.line));
            s.count(examiner.record(), counts);
        }
        if (out == nullptr) continue;
        if (kept && s.options.rivals > 0) {
            CUSET_TRY(s.write_preferences(i, examiner, *out, counts));
            continue;
        }
        value.clear();
        if (stored.place.is_new) value = stored.place.needs_comma ? ",\"curate\":" : "\"curate\":";
        std::string notes(stored.notes);
        if (e.reason == drop_reason::near_duplicate)
            CUSET_TRY(s.note_similarity(stored.line, e.of, examiner, notes));
        s.append_value(i, notes, value);
        CUSET_TRY(out->write(stored.line.substr(0, stored.place.begin)));
        CUSET_TRY(out->write(value));
        CUSET_TRY(out->write(stored.line.substr(stored.place.end)));
        CUSET_TRY(out->write("\n"));
    }
    return counts;
}

std::vector<std::string> funnel_of(const curation_counts& counts) {
    std::vector<std::string> lines;
    std::uint64_t left = counts.read;
    const auto add = [&](std::string name, std::uint64_t dropped) {
        name.resize(18, ' ');
        std::string number = std::to_string(dropped), rest = std::to_string(left);
        number.insert(0, number.size() < 10 ? 10 - number.size() : 0, ' ');
        rest.insert(0, rest.size() < 12 ? 12 - rest.size() : 0, ' ');
        lines.push_back(name + number + rest);
    };
    lines.emplace_back("step                 dropped        left");
    add("read", 0);
    for (std::size_t i = 1; i < drop_reasons; ++i) {
        if (counts.dropped[i] == 0) continue;
        left -= counts.dropped[i];
        add(std::string(reason_names[i]), counts.dropped[i]);
    }
    add("kept", 0);
    if (counts.preferences > 0) {
        left = counts.preferences;
        add("preferences", 0);
    }
    return lines;
}

}  // namespace cuset
