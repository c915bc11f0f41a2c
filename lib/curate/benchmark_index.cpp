#include "cuset/curate/benchmark_index.h"

#include <simdjson.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "cuset/base/random_key.h"
#include "cuset/base/visible_text.h"
#include "cuset/curate/min_hash.h"
#include "cuset/stream/json_text.h"
#include "cuset/stream/line_log.h"
#include "cuset/syntax/program_text.h"

namespace cuset {

namespace {

namespace dom = simdjson::dom;

struct task_texts {
    std::string id;
    std::vector<std::string> prompts, programs;
};

bool is_any(std::string_view key, std::initializer_list<std::string_view> keys) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

void add_text(dom::element value, std::vector<std::string>& texts) {
    if (std::string_view text; !value.get(text) && !text.empty()) texts.emplace_back(text);
}

void add_files(dom::element value, std::vector<std::string>& texts) {
    dom::object holder;
    if (!value.get(holder) && holder["files"].get(value)) return;
    dom::array files;
    if (value.get(files)) return;
    for (const dom::element file : files)
        if (dom::element content; !file["content"].get(content)) add_text(content, texts);
}

void add_turns(dom::element value, task_texts& texts) {
    dom::array turns;
    if (value.get(turns)) return;
    for (const dom::element turn : turns) {
        std::string_view role;
        dom::element content;
        if (turn["role"].get(role) && turn["from"].get(role)) continue;
        if (turn["content"].get(content) && turn["value"].get(content)) continue;
        if (is_any(role, {"user", "human"})) add_text(content, texts.prompts);
        if (is_any(role, {"assistant", "gpt"})) add_text(content, texts.programs);
    }
}

result<task_texts> texts_of(dom::parser& parser, const line& l) {
    std::string repaired(l.text);
    replace_lone_surrogates(repaired);
    dom::object fields;
    if (parser.parse(repaired).get(fields)) return data_error("no JSON object");
    task_texts texts{"line " + std::to_string(l.number), {}, {}};
    bool has_id = false;
    for (const auto [key, value] : fields) {
        if (key == "id" || (key == "task_id" && !has_id)) {
            std::string_view text;
            std::int64_t number = 0;
            if (!value.get(text))
                texts.id = text;
            else if (!value.get(number))
                texts.id = std::to_string(number);
            has_id = key == "id";
        } else if (is_any(key, {"prompt", "instruction", "question", "task_description",
                                "level1_prompt", "level2_prompt", "level3_prompt"})) {
            add_text(value, texts.prompts);
        } else if (is_any(key, {"bench.cu", "response", "output", "code", "canonical_solution",
                                "solution", "harness"})) {
            add_text(value, texts.programs);
        } else if (is_any(key, {"baseline_solution", "context_files", "test_files"})) {
            add_files(value, texts.programs);
        } else if (is_any(key, {"messages", "conversations"})) {
            add_turns(value, texts);
        }
    }
    if (texts.prompts.empty() && texts.programs.empty())
        return data_error("a benchmark's task has no prompt and no program");
    return texts;
}

}  // namespace

struct benchmark_index::searcher {
    std::vector<text_word> words;
    std::vector<std::uint64_t> hashes, shingles;
    std::vector<std::uint32_t> minima;
    std::vector<std::uint64_t> bands;
};

struct benchmark_index::state {
    struct task {
        std::size_t file;
        std::string id;
    };
    struct text_set {
        std::uint32_t task;
        std::vector<std::uint64_t> elements;
    };
    /// The sets of one kind, and which of them have a band.
    struct similar_texts {
        std::vector<text_set> sets;
        std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_band;
    };
    using run_map = std::unordered_multimap<std::uint64_t, std::uint32_t>;  // of each task

    screen_options options;
    band_plan plan;
    std::vector<std::string> files;
    std::vector<task> tasks;
    run_map word_runs, token_runs, renamed_runs;
    similar_texts prompts, programs;

    static std::uint64_t key(unsigned band, std::uint64_t hash) { return mixed_key(hash, band); }
    void hash(searcher& with) const {
        with.bands.resize(plan.bands);
        hash_bands(with.shingles, plan, with.minima, with.bands);
    }
    void add_set(similar_texts& to, std::uint32_t task_number, searcher& with) const {
        hash(with);
        make_set(with.shingles);
        for (unsigned band = 0; band < plan.bands; ++band)
            to.by_band[key(band, with.bands[band])].push_back(
                static_cast<std::uint32_t>(to.sets.size()));
        to.sets.push_back({task_number, with.shingles});
    }
    /// Idioms of one author or another are alike but for their names: a longer run shows a copy.
    std::size_t renamed_tokens() const { return 2 * options.tokens; }
    static void add_runs(run_map& to, std::uint32_t task_number, std::vector<std::uint64_t>& runs) {
        std::sort(runs.begin(), runs.end());
        runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
        for (const std::uint64_t run : runs) to.emplace(run, task_number);
    }
    void add_prompt(std::string_view text, std::uint32_t task_number, searcher& with);
    void add_program(std::string_view text, std::uint32_t task_number, searcher& with);
    void add_code(std::string_view text, std::uint32_t task_number, searcher& with);
    shared_text match(std::uint32_t task_number, std::string_view by, std::string_view text,
                      double index) const;
    /// The task with the most runs in the map (of several, the first), and the place of its first.
    static std::optional<std::pair<std::size_t, std::uint32_t>> first_in(
        const run_map& runs, const std::vector<std::uint64_t>& hashes);
    /// The task with the most similar set (of several, the first), and the index.
    std::optional<std::pair<std::uint32_t, double>> similar_to(const similar_texts& texts,
                                                               searcher& with) const;
};

benchmark_index::benchmark_index(screen_options options) : state_(std::make_unique<state>()) {
    state_->options = options;
    state_->plan = plan_for(options.similar);
}
benchmark_index::benchmark_index(benchmark_index&&) noexcept = default;
benchmark_index& benchmark_index::operator=(benchmark_index&&) noexcept = default;
benchmark_index::~benchmark_index() = default;

std::shared_ptr<benchmark_index::searcher> benchmark_index::new_searcher() {
    return std::make_shared<searcher>();
}

std::size_t benchmark_index::tasks() const { return state_->tasks.size(); }

namespace {

void hashes_of_words(std::string_view text, std::vector<text_word>& words,
                     std::vector<std::uint64_t>& hashes) {
    words_of(text, words);
    hashes.clear();
    for (const text_word& w : words) hashes.push_back(w.hash);
}

}  // namespace

void benchmark_index::state::add_prompt(std::string_view text, std::uint32_t task_number,
                                        searcher& with) {
    hashes_of_words(text, with.words, with.hashes);
    if (with.hashes.size() < options.words) return;
    shingles_of(with.hashes, options.words, with.shingles);
    add_runs(word_runs, task_number, with.shingles);
    shingles_of(with.hashes, options.shingle, with.shingles);
    add_set(prompts, task_number, with);
}

void benchmark_index::state::add_program(std::string_view text, std::uint32_t task_number,
                                         searcher& with) {
    const std::vector<program_text> blocks = code_blocks(text);
    for (const program_text& b : blocks)
        add_code(text.substr(b.begin, b.end - b.begin), task_number, with);
    if (blocks.empty()) add_code(text, task_number, with);
}

void benchmark_index::state::add_code(std::string_view text, std::uint32_t task_number,
                                      searcher& with) {
    code_tokens code;
    code.read(text);
    if (code.tokens().size() < options.tokens) return;
    code.shingles(options.tokens, false, with.shingles);
    add_runs(token_runs, task_number, with.shingles);
    // A list of names, or of parameters, is like any other of its length.
    std::vector<std::uint64_t> varied;
    if (code.tokens().size() >= renamed_tokens()) {
        code.renamed_runs(renamed_tokens(), with.shingles);
        for (std::size_t i = 0; i < with.shingles.size(); ++i)
            if (code.kinds_in(i, renamed_tokens()) >= renamed_tokens() / 10)
                varied.push_back(with.shingles[i]);
    }
    add_runs(renamed_runs, task_number, varied);
    code.shingles(options.shingle, true, with.shingles);
    add_set(programs, task_number, with);
}

status benchmark_index::add(const std::string& path) {
    dom::parser parser;
    searcher with;
    const std::size_t file = state_->files.size();
    state_->files.push_back(path);
    const std::size_t before = tasks();
    CUSET_TRY(for_lines({path}, [&](const line& l, const std::string& place) -> status {
        auto read = texts_of(parser, l);
        if (!read) return std::move(read).error().with_prefix(place);
        const auto task_number = static_cast<std::uint32_t>(state_->tasks.size());
        state_->tasks.push_back({file, std::move(read->id)});
        for (const auto& text : read->prompts) state_->add_prompt(text, task_number, with);
        for (const auto& text : read->programs) state_->add_program(text, task_number, with);
        return {};
    }));
    return tasks() > before ? status() : data_error(path + ": a benchmark without a task");
}

shared_text benchmark_index::state::match(std::uint32_t task_number, std::string_view by,
                                          std::string_view text, double index) const {
    constexpr std::size_t longest = 1000;
    return {files[tasks[task_number].file], tasks[task_number].id, by,
            std::string(beginning_of(text, longest)), index};
}

std::optional<std::pair<std::size_t, std::uint32_t>> benchmark_index::state::first_in(
    const run_map& runs, const std::vector<std::uint64_t>& hashes) {
    // Tasks share idioms: a copy of one shares few runs with many others.
    struct count {
        std::size_t runs = 0, first = 0, last = 0;
    };
    std::map<std::uint32_t, count> shared;
    for (std::size_t i = 0; i < hashes.size(); ++i)
        for (auto [found, end] = runs.equal_range(hashes[i]); found != end; ++found) {
            count& c = shared.try_emplace(found->second, count{0, i, i}).first->second;
            if (c.runs == 0 || c.last != i) ++c.runs;  // a task may have a run in several texts
            c.last = i;
        }
    if (shared.empty()) return {};
    const auto most = std::max_element(shared.begin(), shared.end(), [](auto& a, auto& b) {
        return a.second.runs < b.second.runs;
    });
    return std::pair(most->second.first, most->first);
}

std::optional<std::pair<std::uint32_t, double>> benchmark_index::state::similar_to(
    const similar_texts& texts, searcher& with) const {
    if (texts.sets.empty() || with.shingles.empty()) return {};
    hash(with);
    std::vector<std::uint32_t> candidates;
    for (unsigned band = 0; band < plan.bands; ++band)
        if (const auto found = texts.by_band.find(key(band, with.bands[band]));
            found != texts.by_band.end())
            candidates.insert(candidates.end(), found->second.begin(), found->second.end());
    if (candidates.empty()) return {};
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    make_set(with.shingles);
    std::optional<std::pair<std::uint32_t, double>> most;
    for (const std::uint32_t set : candidates) {
        const double index = jaccard(texts.sets[set].elements, with.shingles);
        if (index >= options.similar && (!most || index > most->second))
            most = std::pair(texts.sets[set].task, index);
    }
    return most;
}

std::optional<shared_text> benchmark_index::find(std::string_view prompt, const code_tokens& code,
                                                 searcher& with) const {
    const state& s = *state_;
    hashes_of_words(prompt, with.words, with.hashes);
    if (with.hashes.size() >= s.options.words) {
        shingles_of(with.hashes, s.options.words, with.shingles);
        if (const auto run = s.first_in(s.word_runs, with.shingles)) {
            const std::size_t begin = with.words[run->first].begin;
            const std::size_t end = with.words[run->first + s.options.words - 1].end;
            return s.match(run->second, "words", prompt.substr(begin, end - begin), 1);
        }
    }
    const auto tokens = code.tokens();
    const auto text_of_run = [&](std::size_t first, std::size_t width) {
        const std::size_t begin = tokens[first].begin;
        return code.code().substr(begin, tokens[first + width - 1].end - begin);
    };
    if (tokens.size() >= s.options.tokens) {
        code.shingles(s.options.tokens, false, with.shingles);
        if (const auto run = s.first_in(s.token_runs, with.shingles))
            return s.match(run->second, "tokens", text_of_run(run->first, s.options.tokens), 1);
    }
    if (with.hashes.size() >= s.options.words) {
        shingles_of(with.hashes, s.options.shingle, with.shingles);
        if (const auto found = s.similar_to(s.prompts, with))
            return s.match(found->first, "similar prompt", prompt, found->second);
    }
    if (tokens.size() >= s.options.tokens) {
        code.shingles(s.options.shingle, true, with.shingles);
        if (const auto found = s.similar_to(s.programs, with))
            return s.match(found->first, "similar code", code.code(), found->second);
    }
    if (const std::size_t width = s.renamed_tokens(); tokens.size() >= width) {
        code.renamed_runs(width, with.shingles);
        if (const auto run = s.first_in(s.renamed_runs, with.shingles))
            return s.match(run->second, "renamed tokens", text_of_run(run->first, width), 1);
    }
    return {};
}

}  // namespace cuset
