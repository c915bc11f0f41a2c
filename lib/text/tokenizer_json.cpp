// Reads tokenizer.json and checks every field: the file is untrusted, and a setting that is not
// understood must be refused, not ignored.
#include <simdjson.h>

#include <algorithm>
#include <array>

#include "cuset/base/fd.h"
#include "tokenizer_impl.h"

namespace cuset {

namespace {

using namespace text;
namespace dom = simdjson::dom;

/// The value of `key`; JSON null and a missing key are both "nothing". Of duplicates, the first.
std::optional<dom::element> field(dom::object object, std::string_view key) {
    dom::element value;
    if (object.at_key(key).get(value) != simdjson::SUCCESS || value.is_null()) return std::nullopt;
    return value;
}

std::string in_quotes(std::string_view text) {
    constexpr std::size_t shown = 200;
    std::string out = "\"";
    out += text.substr(0, shown);
    out += text.size() > shown ? "…\"" : "\"";
    return out;
}

/// Reads a boolean field. It must exist, unless `otherwise` gives its value when it is missing.
status read_flag(dom::object object, std::string_view key, std::optional<bool> otherwise,
                 bool& out) {
    const auto value = field(object, key);
    if (!value && otherwise) {
        out = *otherwise;
        return status::ok();
    }
    if (!value || value->get(out) != simdjson::SUCCESS)
        return data_error(in_quotes(key) + " is not true or false");
    return status::ok();
}

result<std::string_view> read_text(dom::object object, std::string_view key) {
    std::string_view text;
    const auto value = field(object, key);
    if (!value || value->get(text) != simdjson::SUCCESS)
        return data_error(in_quotes(key) + " is missing or not a string");
    return text;
}

result<dom::object> read_object(dom::element element, std::string_view what) {
    dom::object object;
    if (element.get(object) != simdjson::SUCCESS)
        return data_error(std::string(what) + " is not an object");
    return object;
}

/// Calls visit(object, type) for each part of a normalizer, pre-tokenizer or decoder, and for each
/// member of a Sequence; `parts` is the key of a Sequence's members.
template <class Visit>
status for_each_part(dom::element element, std::string_view what, std::string_view parts,
                     Visit&& visit, int depth = 0) {
    CUSET_ASSIGN(const dom::object object, read_object(element, what));
    auto type = read_text(object, "type");
    if (!type) return std::move(type).error().with_prefix(std::string(what) + ": ");
    if (*type != "Sequence") return visit(object, *type);
    dom::array members;
    const auto value = field(object, parts);
    if (!value || value->get(members) != simdjson::SUCCESS || depth > 8)
        return data_error(std::string(what) + ": a Sequence without " + in_quotes(parts));
    for (const dom::element member : members)
        CUSET_TRY(for_each_part(member, what, parts, visit, depth + 1));
    return status::ok();
}

// ------------------------------------------------------------------------------ pre-tokenizer

/// Describes a pre-tokenizer in one line, which recognition compares and a refusal shows.
status describe_part(dom::object part, std::string_view type, std::string& out) {
    if (!out.empty()) out += ", ";
    out += type;
    if (type == "ByteLevel") {
        bool prefix_space = false, use_regex = true;
        CUSET_TRY(read_flag(part, "add_prefix_space", std::nullopt, prefix_space));
        CUSET_TRY(read_flag(part, "use_regex", true, use_regex));
        out += use_regex ? "(regex" : "(no regex";
        out += prefix_space ? ", prefix space)" : ")";
    } else if (type == "Digits") {
        bool individual = false;
        CUSET_TRY(read_flag(part, "individual_digits", false, individual));
        out += individual ? "(individual)" : "(runs)";
    } else if (type == "Split") {
        bool invert = false;
        CUSET_TRY(read_flag(part, "invert", std::nullopt, invert));
        CUSET_ASSIGN(const std::string_view behavior, read_text(part, "behavior"));
        const auto pattern = field(part, "pattern");
        if (!pattern) return data_error("a Split without \"pattern\"");
        CUSET_ASSIGN(const dom::object kinds, read_object(*pattern, "\"pattern\""));
        std::string_view regex;
        const bool is_regex = kinds.at_key("Regex").get(regex) == simdjson::SUCCESS;
        if (!is_regex) {
            CUSET_ASSIGN(regex, read_text(kinds, "String"));
        }
        out += is_regex ? "(" : "(literal ";
        out += regex;
        if (behavior != "Isolated") (out += ", ") += behavior;
        if (invert) out += ", inverted";
        out += ")";
    }
    return status::ok();
}

struct known_chain {
    chain splits;
    std::string_view description;
};

#define CUSET_CL100K(contraction, digits, punctuation)                            \
    "Split(" contraction "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|" digits "|" punctuation \
    "|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+), ByteLevel(no regex)"
#define CUSET_CONTRACTION "(?i:'s|'t|'re|'ve|'m|'ll|'d)"

constexpr known_chain known_chains[] = {
    {chain::gpt2, "ByteLevel(regex)"},
    {chain::gpt2_digits, "Digits(individual), ByteLevel(regex)"},
    {chain::qwen2, CUSET_CL100K(CUSET_CONTRACTION, "\\p{N}", " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*")},
    {chain::llama3,
     CUSET_CL100K(CUSET_CONTRACTION, "\\p{N}{1,3}", " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*")},
    {chain::seed_coder,
     CUSET_CL100K(CUSET_CONTRACTION, "\\p{N}{1}", " ?[^\\s\\p{L}\\p{N}\\r\\n]+")},
    {chain::deepseek_coder,
     "Split([\\r\\n]), Split(\\s?\\p{L}+), Split(\\s?\\p{P}+), Split([一-龥ࠀ-一가-퟿]+), "
     "Digits(individual), ByteLevel(no regex)"},
};
#undef CUSET_CONTRACTION
#undef CUSET_CL100K

status read_pre_tokenizer(dom::object root, tokenizer::impl& out) {
    const auto element = field(root, "pre_tokenizer");
    if (!element) return unsupported("there is no pre_tokenizer; a byte-level one is needed");
    std::string description;
    CUSET_TRY(for_each_part(
        *element, "pre_tokenizer", "pretokenizers", [&](dom::object part, std::string_view type) {
            return describe_part(part, type, description).with_prefix("pre_tokenizer: ");
        }));
    for (const known_chain& known : known_chains) {
        if (known.description == description) {
            out.splits = known.splits;
            return status::ok();
        }
    }
    return unsupported("pre_tokenizer is not supported: " + description);
}

// --------------------------------------------------------------------- normalizer and decoder

status read_normalizer(dom::object root, tokenizer::impl& out) {
    const auto element = field(root, "normalizer");
    if (!element) return status::ok();
    return for_each_part(
        *element, "normalizer", "normalizers", [&](dom::object, std::string_view type) {
            if (type != "NFC")
                return unsupported("normalizer is not supported: " + std::string(type));
            out.nfc = true;
            return status::ok();
        });
}

status check_decoder(dom::object root) {
    const auto element = field(root, "decoder");
    if (!element) return status::ok();
    return for_each_part(*element, "decoder", "decoders", [](dom::object, std::string_view type) {
        if (type == "ByteLevel") return status::ok();
        return unsupported("decoder is not supported: " + std::string(type));
    });
}

// --------------------------------------------------------------------------------------- model

/// These options of the BPE model change how it works, so each must be off.
status check_model_options(dom::object model, tokenizer::impl& out) {
    const auto type = field(model, "type");
    std::string_view name;
    if (type && (type->get(name) != simdjson::SUCCESS || name != "BPE"))
        return unsupported("model is not BPE: " + in_quotes(name));
    if (const auto dropout = field(model, "dropout")) {
        double rate = 0;
        if (dropout->get(rate) != simdjson::SUCCESS) return data_error("dropout is not a number");
        if (rate != 0) return unsupported("BPE with dropout is not supported");
    }
    for (const std::string_view key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
        const auto value = field(model, key);
        std::string_view text;
        if (value && value->get(text) != simdjson::SUCCESS)
            return data_error(in_quotes(key) + " is not a string");
        if (!text.empty()) return unsupported("BPE with " + std::string(key) + " is not supported");
    }
    bool byte_fallback = false;
    CUSET_TRY(read_flag(model, "byte_fallback", false, byte_fallback));
    if (byte_fallback) return unsupported("BPE with byte_fallback is not supported");
    return read_flag(model, "ignore_merges", false, out.ignore_merges);
}

/// Ids are dense in real vocabularies; this bounds the tables by the size of the file.
status check_id(std::int64_t id, std::size_t tokens, std::string_view token) {
    if (id >= 0 && static_cast<std::uint64_t>(id) < tokens * 4 + 1024) return status::ok();
    return data_error("token " + in_quotes(token) + " has id " + std::to_string(id) +
                      ", out of range for " + std::to_string(tokens) + " tokens");
}

status read_vocabulary(dom::object model, tokenizer::impl& out) {
    dom::object vocab;
    const auto element = field(model, "vocab");
    if (!element || element->get(vocab) != simdjson::SUCCESS)
        return data_error("model.vocab is missing or not an object");
    struct entry {
        std::string_view spelling;
        std::int64_t id;
    };
    std::vector<entry> entries;
    std::size_t bytes = 0;
    std::int64_t highest = -1;
    for (const auto& [spelling, value] : vocab) {
        std::int64_t id = 0;
        if (value.get(id) != simdjson::SUCCESS)
            return data_error("the id of token " + in_quotes(spelling) + " is not an integer");
        entries.push_back({spelling, id});
        bytes += spelling.size();
        highest = std::max(highest, id);
    }
    for (const entry& e : entries) CUSET_TRY(check_id(e.id, entries.size(), e.spelling));
    out.words.reserve(static_cast<std::size_t>(highest + 1), bytes);
    for (const entry& e : entries) {
        if (!out.words.add(e.spelling, static_cast<std::int32_t>(e.id)))
            return data_error("token " + in_quotes(e.spelling) + " or its id " +
                              std::to_string(e.id) + " is in model.vocab twice");
    }
    out.ids = static_cast<std::size_t>(highest + 1);
    if (const auto unknown = field(model, "unk_token")) {
        for (unsigned byte = 0; byte < 256; ++byte) {
            if (out.words.byte_token(static_cast<unsigned char>(byte)) == vocabulary::no_token)
                return unsupported("BPE with unk_token, and not all 256 bytes, is not supported");
        }
    }
    return status::ok();
}

/// The two halves of a merge, either "a b" or ["a", "b"]. False if it is neither.
bool split_merge(dom::element merge, std::array<std::string_view, 2>& halves) {
    std::string_view text;
    if (merge.get(text) == simdjson::SUCCESS) {
        const std::size_t gap = text.find(' ');
        if (gap == std::string_view::npos) return false;
        halves = {text.substr(0, gap), text.substr(gap + 1)};
        return halves[1].find(' ') == std::string_view::npos;
    }
    dom::array pair;
    if (merge.get(pair) != simdjson::SUCCESS || pair.size() != 2) return false;
    return pair.at(0).get(halves[0]) == simdjson::SUCCESS &&
           pair.at(1).get(halves[1]) == simdjson::SUCCESS;
}

status read_merges(dom::object model, tokenizer::impl& out) {
    dom::array merges;
    const auto element = field(model, "merges");
    if (!element || element->get(merges) != simdjson::SUCCESS)
        return data_error("model.merges is missing or not an array");
    std::size_t count = 0;
    for ([[maybe_unused]] const dom::element merge : merges) ++count;
    out.words.reserve_merges(count);
    std::uint32_t rank = 0;
    std::int32_t made = vocabulary::no_token;
    std::array<std::string_view, 2> halves;
    std::string buffer;
    for (const dom::element merge : merges) {
        std::string_view line;
        if (merge.get(line) == simdjson::SUCCESS && line.starts_with("#version")) continue;
        if (!split_merge(merge, halves))
            return data_error("model.merges[" + std::to_string(rank) + "] is not a pair of tokens");
        std::array<std::int32_t, 3> ids{};
        for (std::size_t i = 0; i < 3; ++i) {
            if (i < 2) {
                buffer = halves[i];
            } else {
                (buffer = halves[0]) += halves[1];
            }
            // Trainers number tokens in the order of the merges that make them.
            const auto id = out.words.find(buffer, i < 2 ? vocabulary::no_token : made + 1);
            if (!id)
                return data_error("model.merges[" + std::to_string(rank) + "] needs token " +
                                  in_quotes(buffer) + ", which is not in model.vocab");
            ids[i] = *id;
        }
        out.words.add_merge(ids[0], ids[1], rank++, ids[2]);
        made = ids[2];
    }
    return status::ok();
}

// -------------------------------------------------------------------------------- added tokens

result<added_token> read_added_token(dom::object object) {
    added_token token;
    std::int64_t id = 0;
    const auto value = field(object, "id");
    if (!value || value->get(id) != simdjson::SUCCESS || id < 0 || id > 0x7FFFFFFE)
        return data_error("an added token's \"id\" is missing or out of range");
    token.id = static_cast<std::int32_t>(id);
    CUSET_ASSIGN(token.content, read_text(object, "content"));
    bool single_word = false;
    CUSET_TRY(read_flag(object, "single_word", std::nullopt, single_word));
    CUSET_TRY(read_flag(object, "lstrip", std::nullopt, token.left_strip));
    CUSET_TRY(read_flag(object, "rstrip", std::nullopt, token.right_strip));
    CUSET_TRY(read_flag(object, "normalized", std::nullopt, token.normalized));
    CUSET_TRY(read_flag(object, "special", std::nullopt, token.special));
    if (single_word)
        return unsupported("added token " + in_quotes(token.content) +
                           " has single_word, which is not supported");
    return token;
}

status read_added_tokens(dom::object root, tokenizer::impl& out) {
    const auto element = field(root, "added_tokens");
    if (!element) return status::ok();
    dom::array tokens;
    if (element->get(tokens) != simdjson::SUCCESS)
        return data_error("added_tokens is not an array");
    for (const dom::element item : tokens) {
        CUSET_ASSIGN(const dom::object object, read_object(item, "an added token"));
        CUSET_ASSIGN(added_token token, read_added_token(object));
        if (token.content.empty()) continue;  // Hugging Face passes over these too
        const bool again =
            std::any_of(out.added.begin(), out.added.end(),
                        [&](const added_token& a) { return a.content == token.content; });
        if (again) return data_error("added token " + in_quotes(token.content) + " is there twice");
        // Hugging Face numbers added tokens itself: by the vocabulary if it has the token, else one
        // after another. A file with other numbers means ids that Hugging Face would not give.
        const auto known = out.words.find(token.content);
        std::int32_t expected = static_cast<std::int32_t>(out.words.size());
        for (const added_token& a : out.added) expected = std::max(expected, a.id + 1);
        if (known) expected = *known;
        if (token.id != expected)
            return data_error("added token " + in_quotes(token.content) + " has id " +
                              std::to_string(token.id) + " where " + std::to_string(expected) +
                              " is due");
        out.added.push_back(std::move(token));
    }
    return status::ok();
}

/// Lookup tables of the added tokens; special ones win over others of the same text.
void index_added_tokens(tokenizer::impl& out) {
    std::int32_t first = 0x7FFFFFFF, last = -1;
    for (const added_token& token : out.added) {
        first = std::min(first, token.id);
        last = std::max(last, token.id);
    }
    if (last >= 0) {
        out.added_first = first;
        out.added_by_id.assign(static_cast<std::size_t>(last - first + 1), -1);
        out.ids = std::max(out.ids, static_cast<std::size_t>(last) + 1);
    }
    for (const bool special : {true, false}) {
        for (std::size_t i = 0; i < out.added.size(); ++i) {
            const added_token& token = out.added[i];
            if (token.special != special) continue;
            out.added_by_id[static_cast<std::size_t>(token.id - first)] =
                static_cast<std::int32_t>(i);
            if (!token.normalized) {
                out.raw.add(token.content, static_cast<std::uint32_t>(i));
            } else if (out.nfc && !is_plainly_nfc(token.content)) {
                out.normalized.add(normalize_nfc(token.content).text,
                                   static_cast<std::uint32_t>(i));
            } else {
                out.normalized.add(token.content, static_cast<std::uint32_t>(i));
            }
        }
    }
}

status read_root(dom::object root, tokenizer::impl& out) {
    CUSET_TRY(read_normalizer(root, out));
    CUSET_TRY(read_pre_tokenizer(root, out));
    CUSET_TRY(check_decoder(root));
    const auto model = field(root, "model");
    if (!model) return data_error("\"model\" is missing");
    CUSET_ASSIGN(const dom::object object, read_object(*model, "\"model\""));
    CUSET_TRY(check_model_options(object, out));
    CUSET_TRY(read_vocabulary(object, out));
    CUSET_TRY(read_merges(object, out));
    CUSET_TRY(read_added_tokens(root, out));
    index_added_tokens(out);
    return status::ok();
}

}  // namespace

status text::read_tokenizer_json(std::string_view json, std::string_view name,
                                 tokenizer::impl& out) {
    const std::string prefix = std::string(name) + ": ";
    dom::parser parser;
    dom::object root;
    const auto error = parser.parse(json.data(), json.size()).get(root);
    if (error == simdjson::INCORRECT_TYPE) return data_error(prefix + "not a JSON object");
    if (error != simdjson::SUCCESS)
        return data_error(prefix + "not valid JSON: " + simdjson::error_message(error));
    return read_root(root, out).with_prefix(prefix);
}

result<tokenizer> tokenizer::load(const std::filesystem::path& tokenizer_json) {
    const std::string name = tokenizer_json.string();
    CUSET_ASSIGN(const std::string json, read_whole_file(name));
    return parse(json, name);
}

}  // namespace cuset
