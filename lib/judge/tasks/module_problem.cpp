#include "tasks/module_problem.h"

#include <utility>

#include "cuset/base/format.h"
#include "cuset/stream/json_writer.h"
#include "programs.h"

namespace cuset {

namespace {

/// Of the harness too.
constexpr int trials = 5;

/// JSON's escapes are Python's, as long as other characters stand for themselves.
std::string python_text(std::string_view text) {
    std::string literal;
    json_writer(literal).value(text);
    return literal;
}

std::string with_call(const std::string& call) {
    return std::string(harness_py) + "\n\n" + call + '\n';
}

}  // namespace

void set_module(std::string code, std::optional<double> tolerance, task& t) {
    const std::string allowed = tolerance ? format("%.17g", *tolerance) : "None";
    t.module = std::move(code);
    t.generator = with_call("reference(" + python_text(t.module) + ", " + allowed + ')');
    t.comparer = with_call("compare(" + allowed + ')');
    t.inputs = {"init"};
    for (int i = 1; i <= trials; ++i) {
        t.inputs.push_back("inputs_" + std::to_string(i));
        t.outputs.push_back("outputs_" + std::to_string(i));
    }
}

std::string answer_program(const task& t) {
    return with_call("answer(" + python_text(t.module) + ')');
}

std::string own_answer(const task& t) { return t.module + "\n\nModelNew = Model\n"; }

}  // namespace cuset
