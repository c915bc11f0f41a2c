#include "opened_stream.h"

#include <utility>

#include "cuset/base/log.h"

namespace cuset {
namespace {

status refuse(const std::string& first, const std::string& second, output* opened) {
    if (opened) opened->abandon();
    return usage_error(first + " and " + second + " are the same file");
}

status check_distinct(const std::vector<input>& inputs, const std::vector<written_file>& written) {
    for (auto b = written.begin(); b != written.end(); ++b)
        for (auto a = written.begin(); a != b; ++a)
            if (b->identity.is_same_file(a->identity)) return refuse(b->name, a->name, a->opened);
    for (const input& in : inputs)
        for (const written_file& out : written)
            if (in.identity().is_same_file(out.identity))
                return refuse(in.name() + ": input", out.name, out.opened);
    return {};
}

}  // namespace

result<std::vector<input>> open_inputs(const std::vector<std::string>& paths) {
    std::vector<input> inputs;
    for (const std::string& path : paths) {
        CUSET_ASSIGN(input file, input::open(path));
        inputs.push_back(std::move(file));
    }
    return inputs;
}

void tell_empty_input() {
    log(log_level::note, "the input is empty: did the program before this one end well?");
}

std::string place_of(const input& file, const line& l) {
    if (l.begins_in_line == 0) return file.name() + ':' + std::to_string(l.number) + ": ";
    return file.name() + ':' + std::to_string(l.begins_in_line) + ": element " +
           std::to_string(l.number) + ": ";
}

result<opened_stream> opened_stream::open(const stream_options& options, output* own) {
    const auto& paths = options.inputs;
    CUSET_ASSIGN(auto inputs, open_inputs(paths.empty() ? std::vector<std::string>{"-"} : paths));
    std::optional<output> rejects;
    std::vector<written_file> written = options.written;
    if (own) written.insert(written.begin(), {"the output", own->identity(), own});
    if (!options.rejects.empty()) {
        if (options.rejects == "-") return usage_error("--rejects: standard output is no FILE");
        output_options wanted{.path = options.rejects, .form = output_form::text};
        if (options.output) wanted.compression_level = options.output->compression_level;
        CUSET_ASSIGN(rejects, output::open(wanted));
        written.push_back({"--rejects", rejects->identity()});
    }
    CUSET_TRY(check_distinct(inputs, written));
    return opened_stream{std::move(inputs), reject_file(std::move(rejects))};
}

}  // namespace cuset
