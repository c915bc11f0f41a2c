#include "companions.h"

#include "cuset/model/safetensors.h"
#include "cuset/stream/output_file.h"

namespace cuset {

namespace {

constexpr const char* companions[] = {
    "config.json",           "generation_config.json",  "tokenizer.json",
    "tokenizer_config.json", "special_tokens_map.json", "chat_template.jinja"};

}  // namespace

status copy_companions(const std::filesystem::path& from, const std::filesystem::path& to) {
    for (const char* name : companions) {
        if (!std::filesystem::exists(from / name)) continue;
        CUSET_ASSIGN(const auto map, file_map::open(from / name));
        const auto bytes = map.bytes();
        CUSET_TRY(write_whole_file((to / name).string(),
                                   {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
    }
    return {};
}

}  // namespace cuset
