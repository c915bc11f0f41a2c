// A server's answers, for the script that compares them with transformers' own.
//   endpoint_dump URL [--model NAME] [--key KEY] [--concurrency N] [--attempts N] [--timeout S]
// stdin:  lines {"system": "...", "prompt": "...", "max_tokens": N}, answered at temperature 0
// stdout: as they come, lines {"number": N, "text": "...", "finish": "...", "tokens": N} or
//         {"number": N, "error": "..."}
// stderr: the model's name, or the error that ended the run
#include <simdjson.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "cuset/endpoint/endpoint.h"
#include "cuset/stream/json_text.h"

namespace {

using namespace cuset;

bool parse(int argc, char** argv, endpoint_options& out) {
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (!argument.starts_with("--")) {
            out.url = argument;
            continue;
        }
        if (++i == argc) return false;
        const std::string value = argv[i];
        if (argument == "--model") {
            out.model = value;
        } else if (argument == "--key") {
            out.key = value;
        } else if (argument == "--concurrency") {
            out.concurrency = std::strtoul(value.c_str(), nullptr, 10);
        } else if (argument == "--attempts") {
            out.attempts = std::strtoul(value.c_str(), nullptr, 10);
        } else if (argument == "--timeout") {
            out.timeout_seconds = std::strtod(value.c_str(), nullptr);
        } else {
            return false;
        }
    }
    return !out.url.empty();
}

int fail(const status& error) {
    std::fprintf(stderr, "endpoint_dump: %s\n", error.message().c_str());
    return exit_code(error.kind());
}

int run(const endpoint_options& options) {
    auto server = endpoint::open(options);
    if (!server) return fail(server.error());
    std::fprintf(stderr, "%s\n", server->model().c_str());
    simdjson::dom::parser parser;
    const status end = server->run(
        [&]() -> result<std::optional<completion_request>> {
            std::string line;
            if (!std::getline(std::cin, line)) return std::optional<completion_request>();
            const simdjson::dom::element record = parser.parse(line);
            completion_request request;
            for (const auto& [role, field] : {std::pair("system", "system"), {"user", "prompt"}})
                request.messages.push_back({role, std::string(std::string_view(record[field]))});
            request.max_new_tokens = std::uint64_t{record["max_tokens"]};
            request.temperature = 0;
            return std::optional(std::move(request));
        },
        [](std::size_t number, result<completion> answer) -> status {
            std::string text = "{\"number\": " + std::to_string(number);
            text += answer ? ", \"text\": " : ", \"error\": ";
            append_json_string(answer ? answer->text : answer.error().message(), text);
            if (answer) {
                text += ", \"finish\": ";
                append_json_string(answer->finish, text);
                if (answer->tokens) text += ", \"tokens\": " + std::to_string(*answer->tokens);
            }
            std::printf("%s}\n", text.c_str());
            return {};
        });
    return end ? 0 : fail(end);
}

}  // namespace

int main(int argc, char** argv) try {
    endpoint_options options;
    if (!parse(argc, argv, options)) {
        std::fprintf(stderr, "usage: endpoint_dump URL [options]\n");
        return 2;
    }
    return run(options);
} catch (const std::exception& exception) {
    std::fprintf(stderr, "endpoint_dump: %s\n", exception.what());
    return 1;
}
