#include "cuset/curate/curation.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <unordered_set>

#include "curation_state.h"
#include "cuset/base/visible_text.h"
#include "cuset/curate/checks.h"
#include "cuset/stream/json_writer.h"
#include "cuset/stream/parallel_stages.h"
#include "cuset/stream/progress.h"
#include "cuset/syntax/tagger.h"

namespace cuset {

namespace {

constexpr std::array<std::string_view, drop_reasons> reason_names = {
    "kept",         "bad_record",      "no_task",        "repeated",   "no_verdict",
    "other_task",   "not_judged",      "failed",         "no_code",    "too_short",
    "too_long",     "no_thought",      "long_thought",   "language",   "no_kernel",
    "comments",     "license",         "secret",         "own_path",   "benchmark",
    "not_compiled", "exact_duplicate", "near_duplicate", "not_picked", "no_instruction"};

/// Lines are worked on in groups: a line alone is too little for a stage.
constexpr std::size_t batch_bytes = 256 * 1024;

/// The text with U+FFFD for what is no UTF-8, so that it can be a JSON string.
std::string as_utf8(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const char32_t c = next_character(text, at);
        append_utf8(c == ill_formed ? char32_t{0xfffd} : c, out);
    }
    return out;
}

}  // namespace

std::string_view name_of(drop_reason reason) {
    return reason_names[static_cast<std::size_t>(reason)];
}

struct curation::state {
    curation_options options;
    pair_maker make;
    std::vector<curated_entry> entries;
    std::optional<spool> texts;
    std::optional<band_file> bands;
    std::vector<std::string> tasks;
    std::unordered_map<std::string, std::uint32_t> task_numbers;
    std::unordered_set<std::uint64_t> seen;  // candidates: task and sample
    std::uint64_t verified = 0;

    struct job {
        std::vector<curation_line> lines;
        std::vector<examined_record> found;
        status error;
    };
    void work(job& j, record_examiner& with) const;
    status examine(curation_line& l, record_examiner& with,
                   std::vector<examined_record>& found) const;
    void set_bad(const curation_line& l, const status& why, examined_record& found) const;
    status end(job& j);
    status store(examined_record& found);
    status put(std::size_t record, std::string_view notes, std::string_view id,
               std::string_view line, const value_place& place);
    status get(std::size_t record, stored_record& stored);
    bool is_mine(std::uint64_t hash) const {
        return hash % options.shard_count == options.shard_index;
    }
    void set_shards(disjoint_sets clusters_of);
    status compile(const program_compiler& compiler);
    status drop(std::size_t record, drop_reason reason, const std::string& more);
    void append_value(std::size_t record, std::string_view notes, std::string& out);
    void count(const pair_record& record, curation_counts& counts) const;
};

curation::curation(curation_options options, pair_maker make) : state_(std::make_unique<state>()) {
    options.wanted.parts = options.wanted.parts | record_part::response;
    options.wanted.own_key = "curate";
    options.wanted.members = true;
    state_->options = std::move(options);
    state_->make = std::move(make);
}
curation::~curation() = default;

void curation::state::set_bad(const curation_line& l, const status& why,
                              examined_record& found) const {
    found.entry = {};
    found.entry.reason = drop_reason::bad_record;
    found.notes = "\"message\":" + json_of(as_utf8(l.place + why.message()));
    found.id.clear();
    found.task.clear();
    found.line = "{\"line\":" + json_of(as_utf8(l.view())) + '}';
    const auto end = static_cast<std::uint32_t>(found.line.size() - 1);
    found.place = {end, end, true, true};
}

status curation::state::examine(curation_line& l, record_examiner& with,
                                std::vector<examined_record>& found) const {
    if (make) {
        std::vector<made_pair> pairs;
        CUSET_TRY(make(l, pairs));
        for (made_pair& pair : pairs) CUSET_TRY(with.examine(pair, found.emplace_back()));
        return {};
    }
    made_pair pair;
    pair.line.text.swap(l.text);
    pair.line.size = l.size;
    status error = with.examine(pair, found.emplace_back());
    if (!error) pair.line.text.swap(l.text);
    return error;
}

void curation::state::work(job& j, record_examiner& with) const {
    for (curation_line& l : j.lines) {
        const std::size_t first = j.found.size();
        status error = examine(l, with, j.found);
        if (!error) {
            j.found.resize(first);
            if (error.kind() != error_kind::data || !options.skip_errors) {
                j.error = error.kind() == error_kind::data ? std::move(error).with_prefix(l.place)
                                                           : std::move(error);
                return;
            }
            set_bad(l, error, j.found.emplace_back());
        }
        for (std::size_t i = first; i < j.found.size(); ++i)
            if (j.found[i].id.empty())
                j.found[i].id = l.place.substr(0, l.place.size() > 2 ? l.place.size() - 2 : 0);
    }
}

status curation::state::store(examined_record& found) {
    curated_entry& e = found.entry;
    if (entries.size() == no_number) return data_error("more than 4 billion records");
    e.id_hash = fnv1a_64(found.id);
    if (!found.task.empty()) {
        const auto [place, is_new] =
            task_numbers.emplace(found.task, static_cast<std::uint32_t>(tasks.size()));
        if (is_new) tasks.push_back(found.task);
        e.task = place->second;
    }
    if (options.are_candidates && e.task != no_number && e.reason != drop_reason::no_task &&
        !seen.insert(std::uint64_t{e.task} << 32 | e.sample).second)
        e.reason = drop_reason::repeated;
    entries.push_back(e);
    CUSET_TRY(put(entries.size() - 1, found.notes, found.id, found.line, found.place));
    if (bands) {
        // A record that is out already has no bands, but keeps its place.
        found.bands.resize(bands->plan().bands);
        CUSET_TRY(bands->append(found.bands));
    }
    return {};
}

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

status curation::state::end(job& j) {
    for (auto& found : j.found) CUSET_TRY(store(found));
    return std::move(j.error);
}

status curation::read(const std::function<result<std::optional<curation_line>>()>& next) {
    state& s = *state_;
    CUSET_ASSIGN(s.texts, spool::make());
    if (s.options.duplicates == duplicate_search::near) {
        CUSET_ASSIGN(s.bands, band_file::make(plan_for(s.options.similar)));
    }
    parallel_stages stages(s.options.threads, stage_order::as_read);
    std::mutex mutex;
    std::vector<std::unique_ptr<record_examiner>> idle;
    status read_error, error;
    progress_meter progress("records");
    const auto read_job = [&]() -> std::unique_ptr<state::job> {
        if (stages.is_stopped() || !read_error) return nullptr;
        auto j = std::make_unique<state::job>();
        for (std::size_t bytes = 0; bytes < batch_bytes;) {
            auto l = next();
            if (!l) read_error = std::move(l).error();
            if (!l || !*l) break;
            bytes += (*l)->size + 1;
            j->lines.push_back(*std::move(*l));
        }
        return j->lines.empty() ? nullptr : std::move(j);
    };
    const auto work = [&](state::job& j) {
        std::unique_ptr<record_examiner> with;
        {
            const std::lock_guard lock(mutex);
            if (!idle.empty()) {
                with = std::move(idle.back());
                idle.pop_back();
            }
        }
        if (!with) with = std::make_unique<record_examiner>(s.options);
        s.work(j, *with);
        const std::lock_guard lock(mutex);
        idle.push_back(std::move(with));
    };
    const auto end = [&](state::job& j) {
        if (!error) return;
        error = s.end(j);
        if (!error) stages.stop();
        progress.update(s.entries.size(), 0, 0);
    };
    CUSET_TRY(stages.run<state::job>(read_job, work, end));
    CUSET_TRY(std::move(error));
    return read_error;
}

void curation::state::set_shards(disjoint_sets together) {
    if (options.shard_count == 1) return;
    // Records of one task are chosen from together, as those of a cluster are.
    std::vector<std::uint32_t> first(tasks.size(), no_number);
    for (std::uint32_t i = 0; i < entries.size(); ++i) {
        const auto& e = entries[i];
        if (e.reason != drop_reason::none || e.task == no_number) continue;
        if (first[e.task] == no_number)
            first[e.task] = i;
        else
            together.join(first[e.task], i);
    }
    for (std::uint32_t i = 0; i < entries.size(); ++i)
        entries[i].is_mine = is_mine(entries[together.root(i)].id_hash);
}

status curation::state::compile(const program_compiler& compiler) {
    struct program_job {
        std::uint32_t record = 0;
        stored_record stored;
        std::string why;
        status error;
    };
    parallel_stages stages(options.threads, stage_order::as_read);
    std::uint32_t next = 0;
    std::uint64_t done = 0;
    status read_error, error;
    progress_meter progress("programs");
    const auto read = [&]() -> std::unique_ptr<program_job> {
        if (stages.is_stopped()) return nullptr;
        while (next < entries.size() &&
               (entries[next].reason != drop_reason::none || !entries[next].is_mine))
            ++next;
        if (next == entries.size()) return nullptr;
        auto j = std::make_unique<program_job>();
        j->record = next++;
        read_error = get(j->record, j->stored);
        return read_error ? std::move(j) : nullptr;
    };
    const auto work = [&](program_job& j) {
        record_examiner examiner(options);
        auto program = examiner.program_of(j.stored.line);
        if (!program) {
            j.error = std::move(program).error();
        } else if (program->empty()) {
            j.why = "the response holds no program";
        } else if (auto compiled = compiler(*program)) {
            j.why = *std::move(compiled);
        } else {
            j.error = std::move(compiled).error();
        }
    };
    // Texts are read by the reading stage, which this one may overlap: reasons wait.
    std::vector<std::pair<std::uint32_t, std::string>> failed;
    const auto end = [&](program_job& j) {
        if (!error) return;
        error = std::move(j.error);
        if (!error) stages.stop();
        if (!j.why.empty()) failed.emplace_back(j.record, std::move(j.why));
        progress.update(++done, 0, 0);
    };
    CUSET_TRY(stages.run<program_job>(read, work, end));
    CUSET_TRY(std::move(error));
    CUSET_TRY(std::move(read_error));
    for (const auto& [record, why] : failed)
        CUSET_TRY(drop(record, drop_reason::not_compiled, "\"message\":" + json_of(as_utf8(why))));
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

status curation::decide(const program_compiler& compile) {
    state& s = *state_;
    auto& entries = s.entries;
    disjoint_sets clusters(entries.size());
    if (s.options.duplicates != duplicate_search::none) {
        std::vector<std::uint32_t> order;
        for (std::uint32_t i = 0; i < entries.size(); ++i)
            if (entries[i].reason == drop_reason::none) order.push_back(i);
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return std::pair(entries[a].program, a) < std::pair(entries[b].program, b);
        });
        for (std::size_t i = 1; i < order.size(); ++i)
            if (entries[order[i]].program == entries[order[i - 1]].program)
                clusters.join(order[i - 1], order[i]);
    }
    if (s.bands) {
        // Of exact duplicates the first stands for all.
        std::vector<bool> takes_part(entries.size());
        for (std::uint32_t i = 0; i < entries.size(); ++i)
            takes_part[i] = entries[i].reason == drop_reason::none && clusters.root(i) == i;
        record_examiner examiner(s.options);
        stored_record stored;
        near_options near;
        near.similar = s.options.similar;
        near.takes_part = [&](std::uint32_t i) { return takes_part[i]; };
        near.elements = [&](std::uint32_t i, std::vector<std::uint64_t>& out) -> status {
            CUSET_TRY(s.get(i, stored));
            CUSET_TRY(examiner.elements_of(stored.line, out));
            if (out.empty()) out.push_back(entries[i].program[0]);
            return {};
        };
        CUSET_ASSIGN(const near_summary found, join_near_duplicates(*s.bands, near, clusters));
        s.verified = found.verified;
        s.bands.reset();
    }
    s.set_shards(clusters);
    if (compile) CUSET_TRY(s.compile(compile));
    choose(s.options, entries, clusters);
    return {};
}

status curation::for_kept(const std::function<status(std::size_t)>& visit) {
    for (std::size_t i = 0; i < state_->entries.size(); ++i) {
        const curated_entry& e = state_->entries[i];
        if (e.reason == drop_reason::none && e.is_mine) CUSET_TRY(visit(i));
    }
    return {};
}

status curation::line_of(std::size_t record, std::string& line) {
    stored_record stored;
    CUSET_TRY(state_->get(record, stored));
    line = stored.line;
    return {};
}

status curation::replace(std::size_t record, const std::string& line) {
    stored_record stored;
    CUSET_TRY(state_->get(record, stored));
    curation_line padded;
    set_text(padded, line);
    record_examiner examiner(state_->options);
    CUSET_TRY(examiner.read(padded.view()));
    CUSET_TRY(state_->put(record, stored.notes, stored.id, line, examiner.place()));
    if (!state_->options.benchmarks) return {};
    CUSET_ASSIGN(const std::string found, examiner.shared_with_benchmarks(padded.view()));
    return found.empty() ? status() : drop(record, drop_reason::benchmark, found);
}

status curation::drop(std::size_t record, drop_reason reason, const std::string& more) {
    return state_->drop(record, reason, more);
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
            why += ", concise of " + std::to_string(e.choices);
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
    ++counts.licenses[license_of(comments_of(code))];
    counts.sizes.push_back(static_cast<std::uint32_t>(record.response.size()));
    if (const auto family = member_text(record, "family")) ++counts.families[*family];
    if (const auto model = member_text(record, "model")) ++counts.sources["model " + *model];
    if (member_text(record, "sha256")) ++counts.sources["source files"];
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
        value.clear();
        if (stored.place.is_new) value = stored.place.needs_comma ? ",\"curate\":" : "\"curate\":";
        s.append_value(i, stored.notes, value);
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
    return lines;
}

}  // namespace cuset
