#include "ask_flags.h"

#include <utility>

#include "cuset/base/fd.h"
#include "cuset/stream/line_source.h"

namespace cuset {

void add_ask_flags(program& p, ask_flags& flags) {
    p.add({
        {0, "ask", "NAME|FILE",
         "How a task becomes a conversation. plain: the record's prompt alone. cudabench: the "
         "rules of the judge, functions that read and write the files, the description, each "
         "input and output with dtype, shape and file, and the GPU. computeeval: the prompt, the "
         "context files and the build command. harness: the prompt, the context files and how the "
         "harness uses the answer. kernelbench: the module, and what its answer has to define. "
         "counting: the program of a task whose answer is a number, its arguments and launch "
         "configuration, and what is to be counted. "
         "auto: by the record's fields, and plain with --prompt-field and "
         "--columns. "
         "FILE is an ask file: see cuset-ask(5).",
         &flags.ask, value_kind::file},
        {0, "level", "N",
         "Which of CUDABench's descriptions is asked: 1, 2 or 3. --prompt-field replaces it.",
         &flags.level, between(1, 3)},
        {0, "system", "FILE",
         "The system message, instead of the record's or the template's own. A newline at its end "
         "is left out.",
         &flags.system, value_kind::file},
        {0, "gpu", "NAME",
         "The GPU that the prompt names, instead of the record's field gpu: of cudabench and "
         "kernelbench, and of {gpu} in an ask file.",
         &flags.gpu},
        {0, "show", "",
         "Print the conversation of the first task, and stop. It needs no model. A tool that reads "
         "responses shows it with the answer.",
         &flags.show},
    });
}

result<ask_options> to_ask_options(const ask_flags& flags, const field_flags& fields) {
    ask_options options;
    options.ask = flags.ask;
    options.level = static_cast<unsigned>(flags.level);
    options.prompt_field = fields.prompt;
    options.columns = fields.columns;
    options.gpu = flags.gpu;
    if (!flags.system.empty()) {
        CUSET_ASSIGN(std::string text, read_whole_file(flags.system));
        // An editor puts a newline at the end of a file.
        if (text.ends_with('\n')) text.pop_back();
        options.system = std::move(text);
    }
    return options;
}

result<stream_summary> show_first(const stream_flags& flags, const std::string& path,
                                  record_options wanted, const ask_options& options) {
    complete(wanted, options);
    CUSET_TRY(check(wanted));
    CUSET_ASSIGN(const task_ask ask, task_ask::open(options));
    CUSET_ASSIGN(output out, output::open({.path = path, .form = output_form::text}));
    stream_options stream = to_stream_options(flags);
    stream.written = {{"-o", out.identity(), &out}};
    CUSET_ASSIGN(line_source lines, line_source::open(stream));
    record_reader reader(wanted);
    pair_record record;
    for (;;) {
        CUSET_ASSIGN(const line* const l, lines.next());
        if (l == nullptr) return data_error("the input holds no task to show");
        status good = reader.read(*l, record);
        if (!(good ? lines.is_mine(record.id) : lines.is_mine(*l))) continue;
        if (good) good = ask.apply(record);
        if (good) break;
        CUSET_TRY(lines.reject(std::move(good)));
    }
    lines.accept();
    if (includes(wanted.parts, record_part::response))
        record.conversation.push_back(
            {"assistant", record.before_response + record.response + record.after_response});
    CUSET_TRY(out.write(shown(record.conversation)));
    CUSET_TRY(lines.finish());
    CUSET_TRY(out.finish());
    return stream_summary{lines.records(), lines.rejected()};
}

}  // namespace cuset
