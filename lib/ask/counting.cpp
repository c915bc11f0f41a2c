// The conversation about a task whose answer is a count.
#include <optional>
#include <string>

#include "built_in.h"
#include "cuset/cost/cost_quantity.h"
#include "rules.h"

namespace cuset {

namespace {

/// The launch that is meant: "the first launch of kernel saxpy".
result<std::string> meant_launch(const task_fields& fields) {
    std::string launches = "first", kernel;
    if (fields.has("launches")) {
        CUSET_ASSIGN(launches, fields.text("launches"));
    }
    if (fields.has("kernel")) {
        CUSET_ASSIGN(kernel, fields.text("kernel"));
    }
    std::string text = launches == "all" ? "all launches" : "the first launch";
    if (!kernel.empty()) return text + " of kernel " + kernel;
    return text + (launches == "all" ? " of the program's kernels together"
                                     : " of a kernel in the program");
}

}  // namespace

result<std::vector<chat_turn>> counting_conversation(const task_fields& fields,
                                                     const std::string& program) {
    CUSET_ASSIGN(const std::string name, fields.text("answer"));
    const cost_quantity* const quantity = cost_quantity_named(name);
    if (quantity == nullptr)
        return data_error("\"answer\" is \"" + name + "\", and none of " + cost_quantity_names());
    CUSET_ASSIGN(const std::string launch, meant_launch(fields));
    CUSET_ASSIGN(const std::string arguments, fields.words("arguments"));
    CUSET_ASSIGN(const std::optional<launch_shape> grid, fields.shape("grid"));
    CUSET_ASSIGN(const std::optional<launch_shape> block, fields.shape("block"));
    std::string question;
    add_part(question, "The program:\n", fenced(program, "cuda"));
    add_part(question, "Its arguments: ", arguments.empty() ? "none" : arguments);
    if (grid) add_part(question, "Grid of the launch: ", shown(*grid) + " blocks");
    if (block) add_part(question, "Block of the launch: ", shown(*block) + " threads");
    if (quantity->is_of_gpu) {
        std::string gpu =
            "one of compute capability 8.6, for which nvcc compiled with its defaults";
        if (fields.has("gpu")) {
            CUSET_ASSIGN(gpu, fields.text("gpu"));
        }
        add_part(question, "GPU: ", gpu);
    }
    add_part(question, "What counts: ", quantity->meaning);
    question += '.';
    add_part(question, "How many are there in ", launch);
    question += '?';
    std::string_view rules = counting_md;
    rules.remove_suffix(1);  // the line break that ends a file
    return std::vector<chat_turn>{{"system", std::string(rules)}, {"user", std::move(question)}};
}

}  // namespace cuset
