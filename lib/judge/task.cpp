#include "cuset/judge/task.h"

#include <simdjson.h>

#include <utility>

#include "cuset/stream/line_log.h"
#include "record_fields.h"

namespace cuset {

namespace {

namespace dom = simdjson::dom;

status read_text(const dom::object& fields, const char* key, std::string& out) {
    dom::element value;
    if (last_field(fields, key).get(value) || value.is_null()) return {};
    std::string_view text;
    if (value.get(text)) return data_error('"' + std::string(key) + "\" is no string");
    CUSET_TRY(check_length(key, text));
    out = text;
    return {};
}

/// "name" of each element of an array; the file it stands for is made from it.
status read_names(const dom::object& fields, const char* key, std::vector<std::string>& out) {
    dom::element value;
    if (last_field(fields, key).get(value) || value.is_null()) return {};
    dom::array array;
    if (value.get(array)) return data_error('"' + std::string(key) + "\" is no array");
    for (const dom::element element : array) {
        std::string_view name;
        if (element["name"].get(name))
            return data_error("an element of \"" + std::string(key) + "\" has no \"name\"");
        if (name.empty() || name.front() == '.' || name.find('/') != name.npos ||
            name.find('\0') != name.npos)
            return data_error("\"name\" in \"" + std::string(key) + "\" is no plain file name");
        out.emplace_back(name);
    }
    return {};
}

result<task> parse(dom::parser& parser, std::string_view line) {
    CUSET_ASSIGN(const dom::object fields, object_of(parser, line));
    task t;
    CUSET_ASSIGN(t.id, id_field(fields, "id"));
    CUSET_TRY(read_text(fields, "task_name", t.family));
    if (t.family.empty()) t.family = t.id;
    CUSET_TRY(read_names(fields, "inputs", t.inputs));
    CUSET_TRY(read_names(fields, "outputs", t.outputs));
    CUSET_TRY(read_text(fields, "bench.cu", t.program));
    CUSET_TRY(read_text(fields, "gen.py", t.generator));
    CUSET_TRY(read_text(fields, "compare.py", t.comparer));
    return t;
}

}  // namespace

digest task::hash() const {
    sha256 hash("cuset task");
    for (const auto* text : {&id, &family, &program, &generator, &comparer}) hash.add(*text);
    for (const auto* names : {&inputs, &outputs}) {
        hash.add_number(names->size());
        for (const auto& name : *names) hash.add(name);
    }
    return hash.end();
}

result<task_set> task_set::read(const std::string& path) {
    task_set set;
    dom::parser parser;
    const auto take = [&](const line& l, const std::string& place) -> status {
        auto read = parse(parser, l.text);
        if (!read) return std::move(read).error().with_prefix(place);
        if (!set.places_.emplace(read->id, set.tasks_.size()).second)
            return data_error(place + "there is a task \"" + read->id + "\" already");
        set.tasks_.push_back(std::move(read).value());
        return {};
    };
    CUSET_TRY(for_lines({path}, take, longest_line));
    if (set.tasks_.empty()) return data_error(path + ": no task");
    return set;
}

const task* task_set::find(std::string_view id) const {
    const auto found = places_.find(std::string(id));
    return found == places_.end() ? nullptr : &tasks_[found->second];
}

}  // namespace cuset
