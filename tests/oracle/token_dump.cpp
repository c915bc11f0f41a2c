// The tokenizer as a filter for the oracle scripts: JSON strings in, one a line; ids and byte ends
// out, one JSON object a line.
//   token_dump TOKENIZER.json < strings.jsonl
#include <simdjson.h>

#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "cuset/text/tokenizer.h"

namespace {

template <class T>
void print_array(const char* key, const std::vector<T>& values) {
    std::printf("\"%s\":[", key);
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::printf(i == 0 ? "%lld" : ",%lld", static_cast<long long>(values[i]));
    }
    std::printf("]");
}

int fail(const cuset::status& error) {
    std::fprintf(stderr, "token_dump: %s\n", error.message().c_str());
    return cuset::exit_code(error.kind());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: token_dump TOKENIZER.json < strings.jsonl\n");
        return 2;
    }
    const auto tokenizer = cuset::tokenizer::load(argv[1]);
    if (!tokenizer) return fail(tokenizer.error());
    simdjson::dom::parser parser;
    std::string line;
    std::vector<std::int32_t> ids;
    std::vector<std::size_t> ends;
    while (std::getline(std::cin, line)) {
        std::string_view text;
        if (parser.parse(line).get(text) != simdjson::SUCCESS) {
            std::fprintf(stderr, "token_dump: a line is not a JSON string\n");
            return 1;
        }
        ids.clear();
        ends.clear();
        if (const cuset::status error = tokenizer->encode(text, ids, ends); !error) {
            return fail(error);
        }
        std::printf("{");
        print_array("ids", ids);
        std::printf(",");
        print_array("ends", ends);
        std::printf("}\n");
    }
    return 0;
}
