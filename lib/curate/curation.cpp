#include "cuset/curate/curation.h"

#include <algorithm>
#include <mutex>

#include "curation_state.h"
#include "cuset/base/random_key.h"
#include "cuset/stream/json_writer.h"
#include "cuset/stream/parallel_stages.h"
#include "cuset/stream/progress.h"

namespace cuset {

namespace {

/// Lines are worked on in groups: a line alone is too little for a stage.
constexpr std::size_t batch_bytes = 256 * 1024;

}  // namespace

curation::curation(curation_options options, pair_maker make) : state_(std::make_unique<state>()) {
    options.wanted.parts = options.wanted.parts | record_part::response;
    options.wanted.own_key = "curate";
    options.wanted.members = true;
    state_->options = std::move(options);
    state_->make = std::move(make);
}
curation::~curation() = default;

void curation::state::set_bad(const curation_line& l, const status& why,
                              examined_record& found) const {
    found.entry = {};
    found.entry.reason = drop_reason::bad_record;
    found.notes = "\"message\":" + json_of(as_utf8(l.place + why.message()));
    found.id.clear();
    found.task.clear();
    found.line = "{\"line\":" + json_of(as_utf8(l.view())) + '}';
    const auto end = static_cast<std::uint32_t>(found.line.size() - 1);
    found.place = {end, end, true, true};
}

status curation::state::examine(curation_line& l, record_examiner& with,
                                std::vector<examined_record>& found) const {
    if (make) {
        std::vector<made_pair> pairs;
        CUSET_TRY(make(l, pairs));
        for (made_pair& pair : pairs) CUSET_TRY(with.examine(pair, found.emplace_back()));
        return {};
    }
    made_pair pair;
    pair.line.text.swap(l.text);
    pair.line.size = l.size;
    status error = with.examine(pair, found.emplace_back());
    if (!error) pair.line.text.swap(l.text);
    return error;
}

void curation::state::work(job& j, record_examiner& with) const {
    for (curation_line& l : j.lines) {
        const std::size_t first = j.found.size();
        status error = examine(l, with, j.found);
        if (!error) {
            j.found.resize(first);
            if (error.kind() != error_kind::data || !options.skip_errors) {
                j.error = error.kind() == error_kind::data ? std::move(error).with_prefix(l.place)
                                                           : std::move(error);
                return;
            }
            set_bad(l, error, j.found.emplace_back());
        }
        for (std::size_t i = first; i < j.found.size(); ++i)
            if (j.found[i].id.empty())
                j.found[i].id = l.place.substr(0, l.place.size() > 2 ? l.place.size() - 2 : 0);
    }
}

status curation::state::store(examined_record& found) {
    curated_entry& e = found.entry;
    if (entries.size() == no_number) return data_error("more than 4 billion records");
    e.id_hash = fnv1a_64(found.id);
    if (!found.task.empty()) {
        const auto [place, is_new] =
            task_numbers.emplace(found.task, static_cast<std::uint32_t>(tasks.size()));
        if (is_new) tasks.push_back(found.task);
        e.task = place->second;
    }
    if (options.are_candidates && e.task != no_number && e.reason != drop_reason::no_task &&
        !seen.insert(mixed_key(std::uint64_t{e.task} << 32 | e.sample, found.turn)).second)
        e.reason = drop_reason::repeated;
    entries.push_back(e);
    CUSET_TRY(put(entries.size() - 1, found.notes, found.id, found.line, found.place));
    if (bands) {
        // A record that is out already has no bands, but keeps its place.
        found.bands.resize(bands->plan().bands);
        CUSET_TRY(bands->append(found.bands));
    }
    return {};
}

status curation::state::end(job& j) {
    for (auto& found : j.found) CUSET_TRY(store(found));
    return std::move(j.error);
}

status curation::read(const std::function<result<std::optional<curation_line>>()>& next) {
    state& s = *state_;
    CUSET_ASSIGN(s.texts, spool::make());
    if (s.options.duplicates == duplicate_search::near) {
        CUSET_ASSIGN(s.bands, band_file::make(plan_for(s.options.similar)));
    }
    parallel_stages stages(s.options.threads, stage_order::as_read);
    std::mutex mutex;
    std::vector<std::unique_ptr<record_examiner>> idle;
    status read_error, error;
    progress_meter progress("records");
    const auto read_job = [&]() -> std::unique_ptr<state::job> {
        if (stages.is_stopped() || !read_error) return nullptr;
        auto j = std::make_unique<state::job>();
        for (std::size_t bytes = 0; bytes < batch_bytes;) {
            auto l = next();
            if (!l) read_error = std::move(l).error();
            if (!l || !*l) break;
            bytes += (*l)->size + 1;
            j->lines.push_back(*std::move(*l));
        }
        return j->lines.empty() ? nullptr : std::move(j);
    };
    const auto work = [&](state::job& j) {
        std::unique_ptr<record_examiner> with;
        {
            const std::lock_guard lock(mutex);
            if (!idle.empty()) {
                with = std::move(idle.back());
                idle.pop_back();
            }
        }
        if (!with) with = std::make_unique<record_examiner>(s.options);
        s.work(j, *with);
        const std::lock_guard lock(mutex);
        idle.push_back(std::move(with));
    };
    const auto end = [&](state::job& j) {
        if (!error) return;
        error = s.end(j);
        if (!error) stages.stop();
        progress.update(s.entries.size(), 0, 0);
    };
    CUSET_TRY(stages.run<state::job>(read_job, work, end));
    CUSET_TRY(std::move(error));
    return read_error;
}

void curation::state::set_shards(disjoint_sets together) {
    if (options.shard_count == 1) return;
    // Records of one task are chosen from together, as those of a cluster are.
    std::vector<std::uint32_t> first(tasks.size(), no_number);
    for (std::uint32_t i = 0; i < entries.size(); ++i) {
        const auto& e = entries[i];
        if (e.reason != drop_reason::none || e.task == no_number) continue;
        if (first[e.task] == no_number)
            first[e.task] = i;
        else
            together.join(first[e.task], i);
    }
    for (std::uint32_t i = 0; i < entries.size(); ++i)
        entries[i].is_mine = is_mine(entries[together.root(i)].id_hash);
}

status curation::state::compile(const program_compiler& compiler) {
    struct program_job {
        std::uint32_t record = 0;
        stored_record stored;
        std::string why;
        status error;
    };
    parallel_stages stages(options.threads, stage_order::as_read);
    std::uint32_t next = 0;
    std::uint64_t done = 0;
    status read_error, error;
    progress_meter progress("programs");
    const auto read = [&]() -> std::unique_ptr<program_job> {
        if (stages.is_stopped()) return nullptr;
        while (next < entries.size() &&
               (entries[next].reason != drop_reason::none || !entries[next].is_mine))
            ++next;
        if (next == entries.size()) return nullptr;
        auto j = std::make_unique<program_job>();
        j->record = next++;
        read_error = get(j->record, j->stored);
        return read_error ? std::move(j) : nullptr;
    };
    const auto work = [&](program_job& j) {
        record_examiner examiner(options);
        auto program = examiner.program_of(j.stored.line);
        if (!program) {
            j.error = std::move(program).error();
        } else if (program->empty()) {
            j.why = "the response holds no program";
        } else if (auto compiled = compiler(*program)) {
            j.why = *std::move(compiled);
        } else {
            j.error = std::move(compiled).error();
        }
    };
    // Texts are read by the reading stage, which this one may overlap: reasons wait.
    std::vector<std::pair<std::uint32_t, std::string>> failed;
    const auto end = [&](program_job& j) {
        if (!error) return;
        error = std::move(j.error);
        if (!error) stages.stop();
        if (!j.why.empty()) failed.emplace_back(j.record, std::move(j.why));
        progress.update(++done, 0, 0);
    };
    CUSET_TRY(stages.run<program_job>(read, work, end));
    CUSET_TRY(std::move(error));
    CUSET_TRY(std::move(read_error));
    for (const auto& [record, why] : failed)
        CUSET_TRY(drop(record, drop_reason::not_compiled, "\"message\":" + json_of(as_utf8(why))));
    return {};
}

status curation::decide(const program_compiler& compile) {
    state& s = *state_;
    auto& entries = s.entries;
    disjoint_sets clusters(entries.size());
    if (s.options.duplicates != duplicate_search::none) {
        std::vector<std::uint32_t> order;
        for (std::uint32_t i = 0; i < entries.size(); ++i)
            if (entries[i].reason == drop_reason::none) order.push_back(i);
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return std::pair(entries[a].program, a) < std::pair(entries[b].program, b);
        });
        for (std::size_t i = 1; i < order.size(); ++i)
            if (entries[order[i]].program == entries[order[i - 1]].program)
                clusters.join(order[i - 1], order[i]);
    }
    if (s.bands) {
        // Of exact duplicates the first stands for all.
        std::vector<bool> takes_part(entries.size());
        for (std::uint32_t i = 0; i < entries.size(); ++i)
            takes_part[i] = entries[i].reason == drop_reason::none && clusters.root(i) == i;
        record_examiner examiner(s.options);
        stored_record stored;
        near_options near;
        near.similar = s.options.similar;
        near.takes_part = [&](std::uint32_t i) { return takes_part[i]; };
        near.elements = [&](std::uint32_t i, std::vector<std::uint64_t>& out) -> status {
            CUSET_TRY(s.get(i, stored));
            CUSET_TRY(examiner.elements_of(stored.line, out));
            if (out.empty()) out.push_back(entries[i].program[0]);
            return {};
        };
        CUSET_ASSIGN(const near_summary found, join_near_duplicates(*s.bands, near, clusters));
        s.verified = found.verified;
        s.bands.reset();
    }
    s.set_shards(clusters);
    if (compile) CUSET_TRY(s.compile(compile));
    choose(s.options, entries, clusters);
    return s.options.rivals > 0 ? s.find_rivals() : status();
}

status curation::for_kept(const std::function<status(std::size_t)>& visit) {
    for (std::size_t i = 0; i < state_->entries.size(); ++i) {
        const curated_entry& e = state_->entries[i];
        if (e.reason == drop_reason::none && e.is_mine) CUSET_TRY(visit(i));
    }
    return {};
}

status curation::line_of(std::size_t record, std::string& line) {
    stored_record stored;
    CUSET_TRY(state_->get(record, stored));
    line = stored.line;
    return {};
}

status curation::replace(std::size_t record, const std::string& line) {
    stored_record stored;
    CUSET_TRY(state_->get(record, stored));
    curation_line padded;
    set_text(padded, line);
    record_examiner examiner(state_->options);
    CUSET_TRY(examiner.read(padded.view()));
    CUSET_TRY(state_->put(record, stored.notes, stored.id, line, examiner.place()));
    if (!state_->options.benchmarks) return {};
    CUSET_ASSIGN(const std::string found, examiner.shared_with_benchmarks(padded.view()));
    return found.empty() ? status() : drop(record, drop_reason::benchmark, found);
}

status curation::drop(std::size_t record, drop_reason reason, const std::string& more) {
    return state_->drop(record, reason, more);
}

}  // namespace cuset
