#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "curation_state.h"
#include "cuset/base/sha256.h"
#include "cuset/curate/checks.h"
#include "cuset/curate/licenses.h"
#include "cuset/stream/json_text.h"
#include "cuset/stream/json_writer.h"
#include "cuset/syntax/program_text.h"
#include "cuset/syntax/tagger.h"

namespace cuset {

std::string_view program_in(std::string_view response, bool& found) {
    const auto place = find_program(response, fence_choice::first);
    found = place.has_value();
    return found ? response.substr(place->begin, place->end - place->begin) : response;
}

void set_text(curation_line& l, std::string_view text) {
    l.size = text.size();
    l.text.clear();
    l.text.reserve(text.size() + line_padding);
    l.text.append(text).append(line_padding, ' ');
}

std::string license_of(const pair_record& record, const code_tokens& program,
                       const curation_options& options) {
    if (options.have_licenses) return member_text(record, "license").value_or("none");
    return license_of(comments_of(program));
}

std::optional<std::string> member_text(const pair_record& record, std::string_view key) {
    std::optional<std::string> found;
    for (const record_member& m : record.members) {
        if (m.key != key || m.json.empty()) continue;
        std::string text;
        if (m.json.front() == '"')
            decode_json_string(m.json.substr(1, m.json.size() - 2), text);
        else
            text = m.json;
        found = m.json == "null" ? std::optional<std::string>() : std::move(text);
    }
    return found;
}

namespace {

std::optional<double> number_member(const pair_record& record, std::string_view key) {
    const auto text = member_text(record, key);
    double number = 0;
    if (!text) return {};
    const auto read = std::from_chars(text->data(), text->data() + text->size(), number);
    if (read.ec != std::errc() || read.ptr != text->data() + text->size()) return {};
    return number;
}

/// `"key":value` members of a curate value.
class note_writer {
public:
    explicit note_writer(std::string& notes) : notes_(notes) {}
    template <class... Value>
    note_writer& add(std::string_view key, const Value&... value) {
        if (!notes_.empty()) notes_ += ',';
        notes_ += json_of(key) + ':' + json_of(value...);
        return *this;
    }

private:
    std::string& notes_;
};

}  // namespace

record_examiner::record_examiner(const curation_options& options)
    : options_(options),
      reader_(options.wanted),
      needs_tokens_(options.duplicates == duplicate_search::near ||
                    !(options.ignored == ignored_parts{}) || options.most_comments < 1 ||
                    !options.licenses.empty() || options.benchmarks != nullptr),
      plan_(plan_for(options.similar)) {
    if (options.benchmarks) searcher_ = benchmark_index::new_searcher();
}

status record_examiner::read(std::string_view text) {
    return reader_.read({.text = text, .number = 1}, record_);
}

value_place record_examiner::place() const {
    const bool replaces = record_.has_own_key;
    const std::size_t begin = replaces ? record_.own_begin : record_.closing_brace;
    const std::size_t end = replaces ? record_.own_end : record_.closing_brace;
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), !replaces,
            !record_.is_empty_object};
}

std::string record_examiner::prompt() const {
    std::string text;
    for (const chat_turn& turn : record_.conversation)
        if (turn.role != "assistant") text += turn.content + '\n';
    return text;
}

std::vector<std::string_view> record_examiner::texts() const {
    std::vector<std::string_view> all{record_.response};
    for (const chat_turn& turn : record_.conversation) all.push_back(turn.content);
    return all;
}

status record_examiner::examine(made_pair& pair, examined_record& found) {
    found.entry = {};
    found.entry.reason = pair.reason;
    found.notes = pair.notes;
    CUSET_TRY(read(pair.line.view()));
    found.place = place();
    if (pair.reason == drop_reason::none && !options_.prompts_later) CUSET_TRY(record_.no_prompt);
    const auto id = member_text(record_, "id");
    const auto other_id = member_text(record_, "task_id");
    found.id = id ? *id : other_id ? *other_id : std::string();
    found.task = member_text(record_, "task").value_or("");
    CUSET_TRY(measure(pair, found));
    if (found.entry.reason == drop_reason::none) check(found);
    found.line = std::move(pair.line.text);
    found.line.resize(pair.line.size);
    return {};
}

status record_examiner::measure(const made_pair& pair, examined_record& found) {
    curated_entry& e = found.entry;
    // A record that is no candidate may have anything there.
    const double turn = number_member(record_, "turn").value_or(1);
    found.turn = turn >= 1 && turn < no_number ? static_cast<std::uint32_t>(turn) : 1;
    const double sample = number_member(record_, "sample").value_or(0);
    e.sample = sample >= 0 && sample < no_number ? static_cast<std::uint32_t>(sample) : 0;
    if (pair.seconds) e.seconds = *pair.seconds;
    e.speed_up = number_member(record_, "speedup").value_or(-1);
    if (options_.words) {
        std::string thought;
        if (options_.thought_field.empty()) {
            thought = thought_of(record_.response).value_or("");
        } else {
            const auto member = member_text(record_, options_.thought_field);
            if (!member)
                return data_error('"' + options_.thought_field + "\" (--thought-field) is missing");
            thought = *member;
        }
        std::vector<std::int32_t> ids;
        CUSET_TRY(options_.words->encode(thought, ids));
        e.thought = static_cast<std::uint32_t>(ids.size());
        note_writer(found.notes).add("thought", std::uint64_t{e.thought});
    }
    switch (options_.pick) {
        case pick_rule::all:
        case pick_rule::first: break;
        case pick_rule::shortest: e.rank = static_cast<double>(record_.response.size()); break;
        case pick_rule::fastest:
            if (e.seconds < 0 && e.reason == drop_reason::none)
                return data_error("its verdict has no time, which --pick fastest needs");
            e.rank = e.seconds;
            break;
        case pick_rule::likeliest: {
            if (record_.confidence.empty())
                return data_error("it has no confidences, which --pick likeliest needs");
            double sum = 0;
            for (const double c : record_.confidence) sum += std::log(std::max(c, 1e-300));
            e.rank = -sum / static_cast<double>(record_.confidence.size());
        }
    }
    return {};
}

void record_examiner::read_program(std::string_view program) {
    const bool screened = options_.benchmarks != nullptr;
    const bool near = options_.duplicates == duplicate_search::near;
    code_.read(program, {.ignore_literals = options_.ignored.literals,
                         .hashes = near || screened || options_.ignored.names,
                         .names = screened || options_.ignored.names});
}

bool record_examiner::find_shared(std::string& notes) {
    if (options_.ignored.literals) plain_code_.read(program_);
    auto shared = options_.benchmarks->find(
        prompt(), options_.ignored.literals ? plain_code_ : code_, *searcher_);
    for (const std::string_view text : texts())
        for (const program_text& block : code_blocks(text)) {
            const std::string_view code = text.substr(block.begin, block.end - block.begin);
            if (shared || code.data() == program_.data()) continue;
            plain_code_.read(code);
            shared = options_.benchmarks->find({}, plain_code_, *searcher_);
        }
    if (!shared) return false;
    note_writer note(notes);
    note.add("task", shared->task).add("file", shared->file).add("by", shared->by);
    note.add("index", shared->index, 4).add("shared", shared->text);
    return true;
}

result<std::string> record_examiner::shared_with_benchmarks(std::string_view text) {
    CUSET_TRY(read(text));
    bool has_code = false;
    program_ = program_in(record_.response, has_code);
    read_program(program_);
    std::string notes;
    find_shared(notes);
    return notes;
}

drop_reason record_examiner::first_reason(examined_record& found) {
    static const std::vector<std::string_view> no_texts;
    note_writer notes(found.notes);
    const std::string_view response = record_.response;
    bool has_code = false;
    program_ = program_in(response, has_code);
    if (options_.needs_code && !has_code) return drop_reason::no_code;
    if (options_.least_bytes > 0 && response.size() < options_.least_bytes) {
        notes.add("bytes", response.size());
        return drop_reason::too_short;
    }
    if (options_.most_bytes > 0 && response.size() > options_.most_bytes) {
        notes.add("bytes", response.size());
        return drop_reason::too_long;
    }
    if (options_.concise && found.entry.thought == 0) return drop_reason::no_thought;
    if (options_.most_thought > 0 && found.entry.thought > options_.most_thought)
        return drop_reason::long_thought;
    if (!options_.language.empty() || options_.least_kernels > 0) {
        static thread_local tagger tags;
        const tagging tagged = tags.tag(response);
        if (!options_.language.empty() && tagged.lang != options_.language) {
            notes.add("lang", tagged.lang);
            return drop_reason::language;
        }
        const auto kernels = static_cast<std::uint64_t>(
            std::count_if(tagged.spans.begin(), tagged.spans.end(),
                          [](const code_span& s) { return s.kind == span_kind::kernel; }));
        if (kernels < options_.least_kernels) {
            notes.add("kernels", kernels);
            return drop_reason::no_kernel;
        }
    }
    if (needs_tokens_) {
        read_program(program_);
        found.entry.has_license = license_of(record_, code_, options_) != "none";
    }
    if (options_.most_comments < 1)
        if (const double share = comment_share(code_); share > options_.most_comments) {
            notes.add("share", share, 3);
            return drop_reason::comments;
        }
    if (!options_.licenses.empty()) {
        const std::string license = license_of(record_, code_, options_);
        notes.add("license", license);
        if (!is_allowed(license, options_.licenses)) return drop_reason::license;
    }
    for (const std::string_view text : options_.no_secrets ? texts() : no_texts)
        if (const auto secret = secret_in(text)) {
            notes.add("text", *secret);
            return drop_reason::secret;
        }
    for (const std::string_view text : options_.no_own_paths ? texts() : no_texts)
        if (const auto path = own_path_in(text)) {
            notes.add("text", *path);
            return drop_reason::own_path;
        }
    if (options_.benchmarks && find_shared(found.notes)) return drop_reason::benchmark;
    return drop_reason::none;
}

void record_examiner::check(examined_record& found) {
    found.entry.reason = first_reason(found);
    found.bands.clear();
    if (found.entry.reason != drop_reason::none || options_.duplicates == duplicate_search::none)
        return;
    if (needs_tokens_)
        code_.normalised(options_.ignored, normalised_);
    else
        code_.squeeze(program_, normalised_);
    // A response without a token is known by its text.
    const digest key = sha256("program").add(normalised_.empty() ? program_ : normalised_).end();
    std::memcpy(found.entry.program.data(), key.bytes.data(), 16);
    if (options_.duplicates != duplicate_search::near) return;
    code_.shingles(options_.shingle, options_.ignored.names, shingles_);
    if (shingles_.empty()) shingles_.push_back(found.entry.program[0]);
    found.bands.resize(plan_.bands);
    hash_bands(shingles_, plan_, minima_, found.bands);
}

status record_examiner::elements_of(std::string_view text, std::vector<std::uint64_t>& out) {
    CUSET_TRY(read(text));
    bool has_code = false;
    program_ = program_in(record_.response, has_code);
    read_program(program_);
    code_.shingles(options_.shingle, options_.ignored.names, out);
    return {};
}

result<std::string> record_examiner::program_of(std::string_view text) {
    CUSET_TRY(read(text));
    bool has_code = false;
    const std::string_view program = program_in(record_.response, has_code);
    return has_code ? std::string(program) : std::string();
}

}  // namespace cuset
