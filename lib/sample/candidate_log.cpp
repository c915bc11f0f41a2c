#include "cuset/sample/candidate_log.h"

#include <simdjson.h>

#include <algorithm>

#include "cuset/stream/json_text.h"
#include "cuset/stream/json_writer.h"
#include "cuset/stream/score_value.h"

namespace cuset {

namespace {

namespace dom = simdjson::dom;

std::string place_of(std::string_view task, std::uint64_t sample) {
    return std::to_string(sample) + ' ' + std::string(task);
}

/// The length in bytes of the UTF-8 character that begins a text; 0 if there is none.
std::size_t character_length(std::string_view text) {
    const auto byte = static_cast<unsigned char>(text.front());
    const std::size_t length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    return length <= text.size() && simdjson::validate_utf8(text.substr(0, length)) ? length : 0;
}

/// A token may end inside a character, and so may an answer. `ends`, offsets into the text that
/// never fall, become those into what is returned.
std::string valid_utf8(std::string_view text, std::vector<std::size_t>& ends) {
    if (simdjson::validate_utf8(text)) return std::string(text);
    std::string valid;
    std::size_t end = 0;
    const std::size_t size = text.size();
    for (;;) {
        // All before `at` is in `valid`; an end inside a character that follows is kept as far.
        const std::size_t at = size - text.size();
        const std::size_t length = text.empty() ? 1 : character_length(text);
        for (; end < ends.size() && ends[end] < at + std::max<std::size_t>(length, 1); ++end)
            ends[end] = valid.size() + (ends[end] - at);
        if (text.empty()) break;
        if (length > 0) {
            valid.append(text.substr(0, length));
        } else if (!valid.ends_with("\uFFFD")) {
            valid += "\uFFFD";
        }
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return valid;
}

}  // namespace

std::string to_line(const sampled_candidate& c) {
    std::string line;
    json_writer json(line);
    json.begin_object().key("task").id(c.task).member("sample", c.sample);
    std::vector<std::size_t> ends;
    if (c.score) ends = c.score->ends;
    json.member("response", valid_utf8(c.response, ends));
    if (std::vector<std::size_t> none; !c.thought.empty())
        json.member("thought", valid_utf8(c.thought, none));
    json.member("tokens", c.tokens).member("finish", c.finish).member("model", c.model);
    json.member("key", hexadecimal(c.key));
    if (c.turn) {
        json.member("turn", std::uint64_t{c.turn->number}).member("parent", c.turn->parent);
        json.key("messages").raw(c.turn->conversation);
    }
    if (c.score) {
        json.key("score");
        begin_score(json, c.model, ends, c.score->ids, c.score->log_probabilities);
        json.member("temperature", c.score->temperature).member("top_p", c.score->top_p);
        json.member("top_k", c.score->top_k).end_object();
    }
    json.end_object();
    return line + '\n';
}

result<candidate_log> candidate_log::open(const std::string& path) {
    std::unordered_map<std::string, entry> made;
    dom::parser parser;
    const auto keep = [&](const line& l, const std::string& place) -> status {
        dom::element root, task;
        std::string_view id, key;
        std::int64_t number = 0, sample = 0;
        if (parser.parse(l.text.data(), l.text.size(), false).get(root) || root["task"].get(task) ||
            root["sample"].get(sample) || sample < 0 || root["key"].get(key) ||
            (task.get(id) && task.get(number)))
            return data_error(place + "no candidate of cuset-sample");
        const std::string name = task.is_string() ? std::string(id) : std::to_string(number);
        made.insert_or_assign(
            place_of(name, static_cast<std::uint64_t>(sample)),
            entry{std::string(l.text) + '\n', std::string(key), root["score"].is_object()});
        return {};
    };
    CUSET_ASSIGN(line_log file, line_log::open(path, "{\"task\":", keep));
    return candidate_log(std::move(file), std::move(made), path);
}

result<const std::string*> candidate_log::find(const std::string& task, std::uint64_t sample,
                                               std::uint64_t key, bool needs_score) const {
    const auto found = made_.find(place_of(task, sample));
    if (found == made_.end()) return nullptr;
    if (found->second.key != hexadecimal(key))
        return usage_error(path_ + ": sample " + std::to_string(sample) + " of task \"" + task +
                           "\" was made by another model, prompt or setting: give another FILE, or "
                           "take its lines out");
    if (needs_score && !found->second.has_score)
        return usage_error(path_ + ": sample " + std::to_string(sample) + " of task \"" + task +
                           "\" has no score, since it was made without --confidence: give another "
                           "FILE, or take its lines out");
    return &found->second.line;
}

void line_order::add(std::size_t number, std::string line, std::string& ready) {
    waiting_.emplace(number, std::move(line));
    for (auto due = waiting_.find(next_); due != waiting_.end(); due = waiting_.find(next_)) {
        ready += due->second;
        waiting_.erase(due);
        ++next_;
    }
}

}  // namespace cuset
