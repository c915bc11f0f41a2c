#include "cuset/text/tokenizer.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <utility>

#include "bpe.h"
#include "tokenizer_impl.h"

namespace cuset {

namespace {

using namespace text;

/// Receives tokens, and turns offsets within the current piece of text into offsets into the whole.
struct sink {
    std::vector<std::int32_t>* ids;
    std::vector<std::size_t>* ends;           // nullptr: not wanted
    std::size_t base = 0;                     // of the piece
    const std::size_t* source_end = nullptr;  // if NFC changed the piece: by normalized byte

    void put(std::int32_t id, std::size_t end) const {
        ids->push_back(id);
        if (ends != nullptr)
            ends->push_back(base + (source_end == nullptr ? end : source_end[end - 1]));
    }
};

class piece_encoder {
public:
    piece_encoder(const tokenizer::impl& self, scratch& s, sink out)
        : self_(self), s_(s), out_(out) {}

    sink& out() { return out_; }

    /// Encodes text[begin, end), which has no added tokens; offsets count from the beginning of
    /// `text`.
    void encode(std::string_view text, std::size_t begin, std::size_t end) {
        text_ = text;
        const char* p = text.data() + begin;
        const char* const stop = text.data() + end;
        switch (self_.splits) {
            case chain::gpt2: return words<gpt2_scanner<false>>(p, stop);
            case chain::gpt2_digits: return words<gpt2_scanner<true>>(p, stop);
            case chain::qwen2: return words<cl100k_scanner<1, true>>(p, stop);
            case chain::llama3: return words<cl100k_scanner<3, true>>(p, stop);
            case chain::seed_coder: return words<cl100k_scanner<1, false>>(p, stop);
            case chain::deepseek_coder: return words<deepseek_scanner>(p, stop);
        }
    }

private:
    template <class scanner>
    void words(const char* p, const char* stop) {
        while (p < stop) {
            const char* q = scanner::next(p, stop);
            if constexpr (std::is_same_v<scanner, deepseek_scanner>) {
                while (p < q) {
                    const char* r = scanner::refine(p, q);
                    word(p, static_cast<std::size_t>(r - p));
                    p = r;
                }
            } else {
                word(p, static_cast<std::size_t>(q - p));
                p = q;
            }
        }
    }

    void word(const char* p, std::size_t size) {
        if (size <= scratch::short_entry::max_bytes) [[likely]] {
            cached(p, size, s_.short_words);
        } else if (size <= scratch::long_entry::max_bytes) {
            cached(p, size, s_.long_words);
        } else {
            emit_tokens(p, size);
        }
    }

    template <class Entry>
    void cached(const char* p, std::size_t size, std::vector<Entry>& entries) {
        std::array<std::uint64_t, Entry::max_bytes / 8> key;
        load_key(p, size, key);
        std::uint64_t hash = std::uint64_t{self_.serial} << 32 | size;
        for (const std::uint64_t part : key) hash = mix(hash ^ part, 0xD6E8FEB86659FD93ULL);
        Entry* const set = &entries[static_cast<std::size_t>(hash) & (entries.size() - 2)];
        const std::size_t begin = static_cast<std::size_t>(p - text_.data());
        for (const Entry* entry : {set, set + 1}) {
            std::uint64_t difference = entry->size ^ size;
            difference |= entry->owner ^ self_.serial;
            for (std::size_t i = 0; i < key.size(); ++i) difference |= entry->key[i] ^ key[i];
            if (difference != 0) continue;
            for (std::size_t i = 0; i < entry->tokens; ++i)
                out_.put(entry->ids[i], begin + entry->ends[i]);
            return;
        }
        emit_tokens(p, size);
        if (s_.word.size() > Entry::max_tokens) return;
        set[1] = set[0];
        set->key = key;
        set->owner = self_.serial;
        set->size = static_cast<std::uint8_t>(size);
        set->tokens = static_cast<std::uint8_t>(s_.word.size());
        for (std::size_t i = 0; i < s_.word.size(); ++i) {
            set->ids[i] = s_.word[i].id;
            set->ends[i] = static_cast<std::uint8_t>(s_.word[i].end);
        }
    }

    /// Encodes a word that is not in the cache into s_.word and out.
    void emit_tokens(const char* p, std::size_t size) {
        const std::int32_t whole =
            self_.ignore_merges ? self_.words.find_bytes(p, size) : vocabulary::no_token;
        if (whole != vocabulary::no_token) {
            s_.word.assign(1, {whole, static_cast<std::uint32_t>(size)});
        } else {
            merge_word(self_.words, p, size, s_);
        }
        const std::size_t begin = static_cast<std::size_t>(p - text_.data());
        for (const word_token& t : s_.word) out_.put(t.id, begin + t.end);
    }

    /// The word's bytes, zeros after them. Reads as many bytes as the text has, then masks.
    template <std::size_t parts>
    void load_key(const char* p, std::size_t size, std::array<std::uint64_t, parts>& key) const {
        const std::size_t left = text_.size() - static_cast<std::size_t>(p - text_.data());
        if (left < sizeof key) {
            key.fill(0);
            std::memcpy(key.data(), p, size);
            return;
        }
        std::memcpy(key.data(), p, sizeof key);
        for (std::size_t i = 0; i < parts; ++i) {
            // min(8, size - 8i) bytes of part i belong to the word.
            const std::size_t kept = size <= 8 * i ? 0 : size - 8 * i;
            key[i] &= kept >= 8   ? ~std::uint64_t{0}
                      : kept == 0 ? 0
                                  : ~std::uint64_t{0} >> (64 - 8 * kept);
        }
    }

    const tokenizer::impl& self_;
    scratch& s_;
    sink out_;
    std::string_view text_;
};

std::size_t skip_spaces_back(std::string_view text, std::size_t from, std::size_t at) {
    while (at > from) {
        std::size_t before = at - 1;
        while (before > from && (static_cast<unsigned char>(text[before]) & 0xC0) == 0x80) --before;
        if ((classify(text.data() + before).bits & space) == 0) break;
        at = before;
    }
    return at;
}

/// Cuts text[begin, end) at the added tokens of `matcher`. Calls `plain(b, e)` for the text between
/// them and `token(added, e)` for each of them.
template <class Plain, class Token>
void split_added(const tokenizer::impl& self, const token_matcher& matcher, std::string_view text,
                 Plain&& plain, Token&& token) {
    std::size_t done = 0;
    if (!matcher.empty()) {
        std::size_t from = 0;
        while (true) {
            const token_matcher::match m = matcher.find(text, from);
            if (m.begin == text.size()) break;
            const added_token& added = self.added[m.token];
            std::size_t begin = m.begin;
            std::size_t end = m.end;
            if (added.left_strip) begin = std::max(skip_spaces_back(text, 0, begin), done);
            if (added.right_strip)
                end = static_cast<std::size_t>(
                    skip_while(text.data() + end, text.data() + text.size(), space) - text.data());
            if (done < begin) plain(done, begin);
            token(added, end);
            done = end;
            from = m.end;
        }
    }
    if (done < text.size()) plain(done, text.size());
}

scratch& thread_scratch() {
    thread_local scratch s;
    if (s.short_words.empty()) s.short_words.resize(scratch::short_entries);
    if (s.long_words.empty()) s.long_words.resize(scratch::long_entries);
    return s;
}

status encode_text(const tokenizer::impl& self, std::string_view utf8,
                   std::vector<std::int32_t>& ids, std::vector<std::size_t>* ends) {
    if (utf8.size() >= 0xFFFFFFFFU)
        return data_error("a text of 4 GiB or more cannot be tokenized");
    if (!simdjson::validate_utf8(utf8.data(), utf8.size()))
        return data_error("the text is not valid UTF-8");
    // Makes room for the tokens of common code, and keeps geometric growth over many calls.
    const auto make_room = [&](auto& vector) {
        const std::size_t wanted = vector.size() + utf8.size() / 3 + 16;
        if (wanted > vector.capacity()) vector.reserve(std::max(wanted, vector.capacity() * 2));
    };
    make_room(ids);
    if (ends != nullptr) make_room(*ends);
    piece_encoder encoder(self, thread_scratch(), {&ids, ends});
    sink& out = encoder.out();
    split_added(
        self, self.raw, utf8,
        [&](std::size_t begin, std::size_t end) {
            const std::string_view piece = utf8.substr(begin, end - begin);
            const bool changes = self.nfc && !is_plainly_nfc(piece);
            if (!changes && self.normalized.empty()) {
                encoder.encode(utf8, begin, end);
                return;
            }
            const normalized_text nfc = changes ? normalize_nfc(piece) : normalized_text{};
            const std::string_view text = changes ? std::string_view(nfc.text) : piece;
            out.base = begin;
            out.source_end = changes ? nfc.source_end.data() : nullptr;
            split_added(
                self, self.normalized, text,
                [&](std::size_t b, std::size_t e) { encoder.encode(text, b, e); },
                [&](const added_token& added, std::size_t e) { out.put(added.id, e); });
            out.base = 0;
            out.source_end = nullptr;
        },
        [&](const added_token& added, std::size_t end) { out.put(added.id, end); });
    return status::ok();
}

}  // namespace

tokenizer::tokenizer(std::unique_ptr<const impl> self) : self_(std::move(self)) {}
tokenizer::tokenizer(tokenizer&&) noexcept = default;
tokenizer& tokenizer::operator=(tokenizer&&) noexcept = default;
tokenizer::~tokenizer() = default;

result<tokenizer> tokenizer::parse(std::string_view json, std::string_view name) {
    static std::atomic<std::uint32_t> next_serial{1};
    auto self = std::make_unique<impl>();
    CUSET_TRY(read_tokenizer_json(json, name, *self));
    self->serial = next_serial.fetch_add(1);
    return tokenizer(std::move(self));
}

status tokenizer::encode(std::string_view utf8, std::vector<std::int32_t>& ids,
                         std::vector<std::size_t>& ends) const {
    return encode_text(*self_, utf8, ids, &ends);
}

status tokenizer::encode(std::string_view utf8, std::vector<std::int32_t>& ids) const {
    return encode_text(*self_, utf8, ids, nullptr);
}

std::optional<std::int32_t> tokenizer::id_of(std::string_view token) const {
    if (!simdjson::validate_utf8(token.data(), token.size())) return std::nullopt;
    for (const added_token& added : self_->added)
        if (added.content == token) return added.id;
    return self_->words.find(token);
}

std::string_view tokenizer::bytes_of(std::int32_t id) const {
    if (const added_token* added = self_->added_of(id)) return added->content;
    return self_->words.has(id) ? self_->words.bytes_of(id) : std::string_view();
}

bool tokenizer::is_special(std::int32_t id) const {
    const added_token* added = self_->added_of(id);
    return added != nullptr && added->special;
}

std::size_t tokenizer::vocab_size() const { return self_->ids; }

void tokenizer::decode(std::span<const std::int32_t> ids, std::string& text,
                       bool skip_special) const {
    for (const std::int32_t id : ids) {
        if (skip_special && is_special(id)) continue;
        text += bytes_of(id);
    }
}

}  // namespace cuset
