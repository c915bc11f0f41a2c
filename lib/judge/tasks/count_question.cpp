// Tasks whose answer is a number: the fields beside those of CUDABench's format.
#include <cmath>
#include <string>
#include <utility>

#include "build/shell_words.h"
#include "cuset/cost/cost_quantity.h"
#include "tasks/record_fields.h"
#include "tasks/task_formats.h"

namespace cuset {

namespace {

namespace dom = simdjson::dom;

/// A text of words, or an array of them.
status read_arguments(const dom::object& fields, std::vector<std::string>& out) {
    constexpr const char* key = "arguments";
    const auto wrong = [] { return of_field(key, "is neither a string nor an array of strings"); };
    dom::element value;
    if (!has(fields, key) || last_field(fields, key).get(value)) return {};
    if (std::string_view text; !value.get(text)) {
        const auto words = shell_words(text);
        if (!words) return of_field(key, "has " + words.error().message());
        for (const auto& word : *words) out.push_back(word.text);
        return {};
    }
    dom::array array;
    if (value.get(array)) return wrong();
    for (const dom::element element : array) {
        std::string_view word;
        if (element.get(word)) return wrong();
        if (word.find('\0') != word.npos) return of_field(key, "has a word with a zero byte");
        out.emplace_back(word);
    }
    return {};
}

status read_shape(const dom::object& fields, const char* key, std::optional<launch_shape>& out) {
    dom::element value;
    if (!has(fields, key) || last_field(fields, key).get(value)) return {};
    out = launch_shape_of(simdjson::minify(value));
    if (!out) return of_field(key, "is no array of one to three lengths");
    return {};
}

}  // namespace

bool is_count_task(const dom::object& fields) {
    std::string_view answer;
    return !last_field(fields, "answer").get(answer) && answer.starts_with("cost.");
}

status read_count_question(const dom::object& fields, task& t) {
    count_question asked;
    CUSET_TRY(read_text(fields, "answer", asked.quantity));
    if (cost_quantity_named(asked.quantity) == nullptr)
        return of_field("answer",
                        "is \"" + asked.quantity + "\", and none of " + cost_quantity_names());
    if (t.program.empty()) return of_field("bench.cu", "is missing: its launches are counted");
    if (t.is_hip) return of_field("lang", "is \"hip\", and counts are asked of programs in CUDA");
    CUSET_TRY(read_text(fields, "kernel", asked.kernel));
    CUSET_TRY(read_text(fields, "category", asked.category));
    std::string launches = "first";
    CUSET_TRY(read_text(fields, "launches", launches));
    if (launches != "first" && launches != "all")
        return of_field("launches", "is neither \"first\" nor \"all\"");
    asked.all_launches = launches == "all";
    CUSET_TRY(read_arguments(fields, asked.arguments));
    CUSET_TRY(read_shape(fields, "grid", asked.grid));
    CUSET_TRY(read_shape(fields, "block", asked.block));
    if (has(fields, "tolerance") && (last_field(fields, "tolerance").get(asked.tolerance) ||
                                     !std::isfinite(asked.tolerance) || asked.tolerance < 0))
        return of_field("tolerance", "is no number from 0 on");
    t.question = std::move(asked);
    return {};
}

}  // namespace cuset
