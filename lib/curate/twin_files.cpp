#include "cuset/curate/twin_files.h"

#include <simdjson.h>

#include <map>
#include <utility>
#include <vector>

#include "cuset/curate/source_files.h"
#include "cuset/curate/spool.h"
#include "cuset/stream/json_writer.h"
#include "cuset/syntax/tagger.h"

namespace cuset {

namespace {

namespace dom = simdjson::dom;

constexpr std::string_view cuda = "cuda", hip = "hip";

bool is_word_byte(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           static_cast<unsigned char>(c) >= 0x80;
}

std::string lower_case(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

/// Calls `word` with each run of letters and digits of the path, and `between` with each other
/// byte.
template <class Word, class Between>
void for_words(std::string_view path, const Word& word, const Between& between) {
    for (std::size_t at = 0; at < path.size();) {
        std::size_t end = at;
        while (end < path.size() && is_word_byte(path[end])) ++end;
        if (end > at)
            word(path.substr(at, end - at));
        else
            between(path[end++]);
        at = end;
    }
}

/// The path with CUDA's ending for HIP's, which stands behind a source's own where hipify wrote it.
std::string with_ending_of_cuda(std::string_view path) {
    constexpr std::string_view ending = ".hip";
    if (!path.ends_with(ending)) return std::string(path);
    path.remove_suffix(ending.size());
    return std::string(path) + (ending_of_source(path).empty() ? ".cu" : "");
}

/// The language that the path alone tells; empty if it does not.
std::string_view language_of_path(std::string_view path) {
    bool says_cuda = false, says_hip = path.ends_with(".hip");
    std::string_view stem = path;
    if (says_hip) stem.remove_suffix(std::string_view(".hip").size());
    for_words(
        stem,
        [&](std::string_view word) {
            const std::string name = lower_case(word);
            if (name == cuda) says_cuda = true;
            if (name == hip) says_hip = true;
        },
        [](char) {});
    if (says_cuda == says_hip) return {};
    return says_hip ? hip : cuda;
}

/// A line's members; text is that of the parser.
struct source_record {
    std::string_view path, license, sha256, response;
};

std::optional<source_record> record_of(dom::parser& parser, const curation_line& l) {
    dom::object fields;
    source_record found;
    if (parser.parse(l.text.data(), l.size, false).get(fields) || fields["path"].get(found.path) ||
        fields["license"].get(found.license) || fields["sha256"].get(found.sha256) ||
        fields["response"].get(found.response))
        return {};
    return found;
}

std::string license_of_both(std::string_view of_one, std::string_view of_other) {
    std::string both(of_one);
    if (of_one != of_other) both.append(" AND ").append(of_other);
    return both;
}

constexpr std::size_t no_file = SIZE_MAX;

struct waiting_file {
    std::string place, key, sha256;
    std::string_view language;  // of a constant; empty: the line is no record
    std::uint64_t offset = 0;
    std::size_t bytes = 0, twin = no_file;
};

}  // namespace

std::string path_without_language(std::string_view path) {
    std::string key;
    for_words(
        with_ending_of_cuda(path),
        [&](std::string_view word) {
            const std::string name = lower_case(word);
            key += name == cuda || name == hip ? std::string_view("*") : word;
        },
        [&](char c) { key += c; });
    return key;
}

struct twin_files::state {
    explicit state(spool made) : texts(std::move(made)) {}
    spool texts;
    std::string_view wanted;
    std::vector<waiting_file> files;
    std::size_t next = 0;
    dom::parser parser, other_parser;

    status take(const curation_line& l) {
        waiting_file file;
        file.place = l.place;
        file.bytes = l.size;
        CUSET_ASSIGN(file.offset, texts.append(l.view()));
        if (const auto found = record_of(parser, l)) {
            file.key = path_without_language(found->path);
            file.sha256 = found->sha256;
            file.language = language_of_path(found->path);
            static thread_local tagger tags;
            if (file.language.empty())
                file.language = tags.tag(found->response).lang == hip ? hip : cuda;
        }
        files.push_back(std::move(file));
        return {};
    }
    void find_twins() {
        std::map<std::string_view, std::vector<std::size_t>> of_key;
        for (std::size_t i = 0; i < files.size(); ++i)
            if (!files[i].language.empty()) of_key[files[i].key].push_back(i);
        for (const auto& [key, places] : of_key) {
            if (places.size() != 2) continue;
            waiting_file &one = files[places[0]], &other = files[places[1]];
            if (one.language == other.language || one.sha256 == other.sha256) continue;
            one.twin = places[1];
            other.twin = places[0];
        }
    }
    result<curation_line> line_of(const waiting_file& file) {
        std::string text;
        CUSET_TRY(texts.read(file.offset, file.bytes, text));
        curation_line l;
        set_text(l, text);
        l.place = file.place;
        return l;
    }
    result<curation_line> pair_of(const waiting_file& file) {
        CUSET_ASSIGN(curation_line own, line_of(file));
        CUSET_ASSIGN(const curation_line twins, line_of(files[file.twin]));
        const auto target = record_of(parser, own), source = record_of(other_parser, twins);
        if (!target || !source) return own;
        std::string text;
        json_writer json(text);
        json.begin_object().member("id", target->path).member("path", target->path);
        json.member("license", license_of_both(target->license, source->license));
        json.member("sha256", target->sha256).member("lang", file.language);
        json.member("source_lang", files[file.twin].language);
        json.member("source_path", source->path).member("source_sha256", source->sha256);
        json.member("source", source->response).member("response", target->response);
        json.end_object();
        set_text(own, text);
        return own;
    }
};

twin_files::twin_files(std::unique_ptr<state> s) : state_(std::move(s)) {}
twin_files::twin_files(twin_files&&) noexcept = default;
twin_files& twin_files::operator=(twin_files&&) noexcept = default;
twin_files::~twin_files() = default;

result<twin_files> twin_files::read(const source_reader& next, std::string_view wanted) {
    CUSET_ASSIGN(spool texts, spool::make());
    auto s = std::make_unique<state>(std::move(texts));
    s->wanted = wanted == hip ? hip : cuda;
    for (;;) {
        CUSET_ASSIGN(const std::optional<curation_line> l, next());
        if (!l) break;
        CUSET_TRY(s->take(*l));
    }
    s->find_twins();
    return twin_files(std::move(s));
}

result<std::optional<curation_line>> twin_files::next() {
    state& s = *state_;
    while (s.next < s.files.size()) {
        const waiting_file& file = s.files[s.next++];
        if (file.twin == no_file) {
            CUSET_ASSIGN(curation_line l, s.line_of(file));
            return std::optional(std::move(l));
        }
        if (file.language != s.wanted) continue;
        CUSET_ASSIGN(curation_line l, s.pair_of(file));
        return std::optional(std::move(l));
    }
    return std::optional<curation_line>();
}

}  // namespace cuset
