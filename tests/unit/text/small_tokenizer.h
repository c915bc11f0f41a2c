// A tokenizer.json small enough to reason about, in pieces that a test can replace.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cuset_test {

/// GPT-2's stand-in for a byte, as UTF-8.
inline std::string stand_in(unsigned byte) {
    unsigned code = 256;
    bool itself = false;
    for (unsigned b = 0; b <= byte; ++b) {
        itself = (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
        if (!itself && b < byte) ++code;
    }
    if (itself) code = byte;
    if (code < 0x80) return std::string(1, static_cast<char>(code));
    return {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
}

inline std::string spelled(std::string_view bytes) {
    std::string out;
    for (const char c : bytes) out += stand_in(static_cast<unsigned char>(c));
    return out;
}

struct small_tokenizer {
    /// Each merge makes the token after the last; the 256 bytes are the first ids, in byte order.
    std::vector<std::pair<std::string, std::string>> merges;
    std::string missing_bytes{};  // these have no token (their ids stay unused)
    std::string normalizer = "null";
    std::string pre_tokenizer =
        R"({"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":true})";
    std::string decoder = R"({"type":"ByteLevel"})";
    std::string added = "[]";
    std::string model_options{};  // such as "\"dropout\":0.1,"
    bool merge_pairs = false;     // ["a","b"] instead of "a b"

    std::string json() const {
        const auto in_quotes = [](const std::string& text) {
            std::string out = "\"";
            for (const char c : text) {
                if (c == '"' || c == '\\') out += '\\';
                out += c;
            }
            return out + "\"";
        };
        std::string vocab, list;
        for (unsigned b = 0; b < 256; ++b) {
            if (missing_bytes.find(static_cast<char>(b)) != std::string::npos) continue;
            vocab += (vocab.empty() ? "" : ",") + in_quotes(stand_in(b)) + ":" + std::to_string(b);
        }
        unsigned id = 256;
        for (const auto& [left, right] : merges) {
            const std::string l = spelled(left), r = spelled(right);
            vocab += "," + in_quotes(l + r) + ":" + std::to_string(id++);
            if (!list.empty()) list += ",";
            list += merge_pairs ? "[" + in_quotes(l) + "," + in_quotes(r) + "]"
                                : in_quotes(l + " " + r);
        }
        return R"({"version":"1.0","truncation":null,"padding":null,"added_tokens":)" + added +
               R"(,"normalizer":)" + normalizer + R"(,"pre_tokenizer":)" + pre_tokenizer +
               R"(,"post_processor":null,"decoder":)" + decoder + R"(,"model":{"type":"BPE",)" +
               model_options + R"("vocab":{)" + vocab + R"(},"merges":[)" + list + "]}}";
    }
};

inline std::string added_token(int id, const std::string& content, const std::string& flags = "") {
    const auto flag = [&flags](const std::string& name) {
        return ",\"" + name + "\":" + (flags.find(name) != std::string::npos ? "true" : "false");
    };
    return "{\"id\":" + std::to_string(id) + ",\"content\":\"" + content + "\"" +
           flag("single_word") + flag("lstrip") + flag("rstrip") + flag("normalized") +
           flag("special") + "}";
}

inline constexpr const char* qwen_pre_tokenizer =
    R"({"type":"Sequence","pretokenizers":[{"type":"Split","pattern":{"Regex":"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"},"behavior":"Isolated","invert":false},{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":false,"use_regex":false}]})";

}  // namespace cuset_test
