#include "cuset/judge/task.h"

#include <simdjson.h>

#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "cuset/stream/array_shape.h"
#include "cuset/stream/line_log.h"
#include "tasks/record_fields.h"
#include "tasks/task_formats.h"

namespace cuset {

namespace {

namespace dom = simdjson::dom;

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

/// The bytes of an element of NumPy's type of this name; 0 for other types.
std::uint64_t bytes_of(std::string_view dtype) {
    if (dtype == "bool") return 1;
    if (dtype == "half") return 2;
    if (dtype == "single") return 4;
    if (dtype == "float" || dtype == "double") return 8;
    const std::size_t digits = dtype.find_first_of("0123456789");
    if (digits == dtype.npos) return 0;
    std::uint64_t bits = 0;
    std::from_chars(dtype.data() + digits, dtype.data() + dtype.size(), bits);
    return bits / 8;
}

/// A shape as text, or as an array of lengths.
std::optional<std::uint64_t> elements_in(const dom::element& shape) {
    if (std::string_view text; !shape.get(text)) return elements_of(text);
    dom::array lengths;
    if (shape.get(lengths)) return {};
    std::uint64_t elements = 1;
    for (const dom::element length : lengths) {
        std::uint64_t size = 0;
        if (length.get(size) || __builtin_mul_overflow(elements, size, &elements)) return {};
    }
    return elements;
}

/// The bytes of all arrays that say their dtype and shape.
std::uint64_t declared_bytes(const dom::object& fields) {
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t all = 0;
    for (const char* key : {"inputs", "outputs"}) {
        dom::array array;
        if (last_field(fields, key).get(array)) continue;
        for (const dom::element element : array) {
            std::string_view dtype;
            dom::element shape;
            if (element["dtype"].get(dtype) || element["shape"].get(shape)) continue;
            std::uint64_t bytes = 0;
            if (__builtin_mul_overflow(elements_in(shape).value_or(0), bytes_of(dtype), &bytes) ||
                __builtin_add_overflow(all, bytes, &all))
                return most;
        }
    }
    return all;
}

std::vector<std::string> output_dtypes(const dom::object& fields) {
    std::vector<std::string> all;
    dom::array array;
    if (last_field(fields, "outputs").get(array)) return all;
    for (const dom::element element : array) {
        std::string_view dtype;
        all.emplace_back(element["dtype"].get(dtype) ? "" : dtype);
    }
    return all;
}

status read_cudabench(const dom::object& fields, task& t) {
    CUSET_TRY(read_text(fields, "task_name", t.family));
    CUSET_TRY(read_names(fields, "inputs", t.inputs));
    CUSET_TRY(read_names(fields, "outputs", t.outputs));
    CUSET_TRY(read_text(fields, "bench.cu", t.program));
    CUSET_TRY(read_text(fields, "gen.py", t.generator));
    CUSET_TRY(read_text(fields, "compare.py", t.comparer));
    CUSET_TRY(read_language(fields, t));
    t.output_dtypes = output_dtypes(fields);
    t.declared_bytes = declared_bytes(fields);
    return {};
}

result<task> parse(dom::parser& parser, std::string_view line) {
    CUSET_ASSIGN(const dom::object fields, object_of(parser, line));
    task t;
    CUSET_ASSIGN(t.id, task_id_of(fields));
    if (is_harness_task(fields)) {
        CUSET_TRY(read_harness_task(fields, t));
    } else if (is_compute_eval(fields)) {
        CUSET_TRY(read_compute_eval(fields, t));
    } else if (is_kernel_bench(fields)) {
        CUSET_TRY(read_kernel_bench(fields, t));
    } else {
        CUSET_TRY(read_cudabench(fields, t));
        if (is_count_task(fields)) CUSET_TRY(read_count_question(fields, t));
    }
    if (t.family.empty()) t.family = t.id;
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
    if (!unsupported.empty()) hash.add(unsupported);
    if (!module.empty()) hash.add(module);
    if (is_hip) hash.add("hip");
    if (question) {
        hash.add("question").add(question->quantity).add(question->kernel);
        hash.add_number(question->all_launches).add_real(question->tolerance);
        hash.add(question->category).add_number(question->arguments.size());
        for (const auto& word : question->arguments) hash.add(word);
        for (const auto* shape : {&question->grid, &question->block})
            for (const std::uint64_t side : shape->value_or(launch_shape{})) hash.add_number(side);
    }
    if (!build) return hash.end();
    for (const auto* files : {&build->context, &build->tests, &build->solution}) {
        hash.add_number(files->size());
        for (const auto& file : *files) hash.add(file.path).add(file.content);
    }
    for (const auto* text :
         {&build->build_command, &build->test_command, &build->toolkit, &build->capability})
        hash.add(*text);
    hash.add_real(build->seconds).add_number(build->takes_flags);
    for (const auto* names : {&build->all_references, &build->any_references}) {
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
