// cuset-reward: candidates and the verdicts on them -> + reward, + advantage.
#include <atomic>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuset/base/log.h"
#include "cuset/base/visible_text.h"
#include "cuset/judge/candidate.h"
#include "cuset/judge/verdict_log.h"
#include "cuset/reward/ratings.h"
#include "cuset/stream/json_writer.h"
#include "cuset/stream/library_versions.h"
#include "tool.h"

namespace {

using namespace cuset;

struct reward_flags {
    stream_flags stream;
    std::vector<std::string> verdicts, checked;
    std::string formula = "0.1*compiled + 0.1*ran + 0.8*correct";
    std::string advantage = "mean", scale = "deviation";
    double discount = 0;
    bool drop_equal = false;

    std::optional<advantage_settings> advantages() const {
        if (advantage == "none") return {};
        return advantage_settings{
            advantage == "mean" ? advantage_baseline::mean : advantage_baseline::leave_one_out,
            scale == "deviation"};
    }
};

program describe(reward_flags& flags) {
    program p = new_program("cuset-reward", "say what answers are worth to learn from");
    p.description = paragraphs(R"(
Reads candidates (from cuset-sample) and adds "reward" to each, computed from its verdict, and
"advantage": how much better it is than the other answers to its task. Both come from the verdicts
alone, which are read first: candidates pass through one by one, in any order, and each keeps its
other bytes as they are. cuset-train --objective grpo learns from advantages, once cuset-curate
--tasks FILE --duplicates none has given each answer its prompt.

A formula is a sum of terms with + or - between them, and a term is a product (*) of numbers and
names. compiled, ran, correct and checked are 1 or 0: the program compiled; it ran to its end,
with whatever results; it passed; it passed under --check too. truncated is 1 where a limit of
tokens ended the answer, and tokens is how many the answer has.

A group is all answers to a task that have a verdict, of all turns. Verdicts unsupported and
evaluator are neither right nor wrong: such answers have no reward and no place in a group, and are
left out of the output. A note counts what is left out. A candidate without a verdict, and one
that is alone in its group, are bad records.

With turns, where later answers mend earlier ones, --verdicts is given once for each turn, in
their order. A candidate's turn is its "turn", 1 where it has none, and the answers with one task
and sample follow each other. --discount G lets what follows count: the return of a turn is its
reward and G times the return of the next. "reward" is that of the answer alone, and "advantage"
compares returns.
)");
    p.options = {
        {0, "verdicts", "FILE",
         "The verdicts on the candidates, from cuset-eval; once for each turn, in their order.",
         &flags.verdicts, value_kind::file},
        {0, "reward", "FORMULA", "The reward of an answer.", &flags.formula},
        {0, "checked", "FILE",
         "Verdicts of cuset-eval --check on the same candidates, for the name checked in a "
         "formula; once for each turn. Verdicts of --verdicts that were made with --check need "
         "none.",
         &flags.checked, value_kind::file},
        {0, "advantage", "BASELINE",
         "What an answer is compared with: the mean of its group, as GRPO does, the mean of the "
         "others in it (leave-one-out), or nothing: then there is a reward alone.",
         &flags.advantage, one_of("mean", "leave-one-out", "none")},
        {0, "scale", "BY",
         "deviation: advantages are divided by the group's standard deviation (with n - 1) plus "
         "1e-4, as in TRL. none: they are not, as in Dr. GRPO.",
         &flags.scale, one_of("deviation", "none")},
        {0, "discount", "G", "What the return of the next turn counts, 0 to 1.", &flags.discount},
        {0, "drop-equal", "",
         "Leave out groups in which all returns are equal: their advantages are 0.",
         &flags.drop_equal},
    };
    add_stream_flags(p, flags.stream);
    p.build_details = stream_library_versions;
    p.examples = {
        {"cuset-reward --verdicts v.jsonl candidates.jsonl > rewarded.jsonl",
         "Rewards by how far each answer came."},
        {"cuset-reward --verdicts v.jsonl --reward 'correct - 0.0001*truncated' --scale none "
         "--plain candidates.jsonl | jq -r '[.task, .sample, .reward, .advantage] | @tsv'",
         "A table of rewards of another kind."},
    };
    p.see_also = {"cuset-sample", "cuset-eval", "cuset-curate", "cuset-train"};
    return p;
}

/// What is left out of the output, by reason.
struct omissions {
    std::atomic<std::uint64_t> unjudged{0}, equal{0};
};

/// Takes a turn's number from the record's members.
result<std::size_t> turn_of(const pair_record& record) {
    std::size_t turn = 1;
    for (const record_member& m : record.members) {
        if (m.key != "turn") continue;
        const auto [end, error] =
            std::from_chars(m.json.data(), m.json.data() + m.json.size(), turn);
        if (error != std::errc() || end != m.json.data() + m.json.size() || turn == 0)
            return data_error("\"turn\" is no number from 1 on");
    }
    return turn;
}

record_options with_key(const char* key) {
    record_options wanted{
        .parts = record_part{}, .own_key = key, .prompt_field = {}, .response_field = {}};
    wanted.members = true;
    return wanted;
}

/// Of rewards and advantages: more would show how binary fractions end.
constexpr int digits = 9;

class reward_worker final : public record_worker {
public:
    reward_worker(const ratings& all, bool has_advantages, omissions& left_out)
        : all_(all),
          has_advantages_(has_advantages),
          left_out_(left_out),
          rewarded_reader_(with_key("advantage")) {}

    void process(std::span<pair_record> records, std::span<record_outcome> outcomes) override {
        for (std::size_t i = 0; i < records.size(); ++i)
            outcomes[i].error = rate(records[i], outcomes[i].lines);
    }

private:
    status rate(const pair_record& record, std::string& lines) {
        CUSET_ASSIGN(const std::vector<candidate> found, candidates_.read(record.line));
        if (found.size() != 1)
            return data_error(
                "a line of CUDABench's results holds several answers: give them as "
                "candidates, a line each");
        const candidate& c = found.front();
        CUSET_ASSIGN(const std::size_t turn, turn_of(record));
        const std::string name = "task \"" + visible_text(c.task) + "\", sample " +
                                 std::to_string(c.sample) +
                                 (turn > 1 ? ", turn " + std::to_string(turn) : "");
        const rating* const known = all_.find(c.task, c.sample, turn);
        if (known == nullptr) return data_error(name + " has no verdict");
        switch (known->kind) {
            case rating_kind::rated: return add_to(record, *known, lines);
            case rating_kind::alone:
                return data_error(name +
                                  " is the only answer to its task: there is nothing to "
                                  "compare it with (--advantage none gives a reward alone)");
            case rating_kind::unjudged: ++left_out_.unjudged; return {};
            case rating_kind::equal: ++left_out_.equal; return {};
        }
        return {};
    }

    status add_to(const pair_record& record, const rating& known, std::string& lines) {
        if (!has_advantages_) {
            splice(record, "reward", json_of(known.reward, digits), lines);
            return {};
        }
        text_.clear();
        splice(record, "reward", json_of(known.reward, digits), text_);
        const std::size_t length = text_.size() - 1;  // without its newline
        text_.resize(length + line_padding);
        CUSET_TRY(rewarded_reader_.read({std::string_view(text_).substr(0, length), record.number},
                                        rewarded_));
        splice(rewarded_, "advantage", json_of(known.advantage, digits), lines);
        return {};
    }

    const ratings& all_;
    bool has_advantages_;
    omissions& left_out_;
    candidate_reader candidates_;
    record_reader rewarded_reader_;
    pair_record rewarded_;
    std::string text_;
};

result<std::vector<turn_verdicts>> read_turns(const reward_flags& flags) {
    std::vector<turn_verdicts> turns(flags.verdicts.size());
    for (std::size_t i = 0; i < turns.size(); ++i) {
        CUSET_ASSIGN(turns[i].own, read_verdicts({flags.verdicts[i]}));
        if (turns[i].own.empty()) return data_error(flags.verdicts[i] + ": there are no verdicts");
        if (turns[i].own.front().setting != turns[0].own.front().setting)
            return data_error(
                flags.verdicts[i] + " and " + flags.verdicts[0] +
                " have verdicts of other settings: " + describe(turns[i].own.front().setting) +
                "; " + describe(turns[0].own.front().setting));
        if (flags.checked.empty()) continue;
        CUSET_ASSIGN(turns[i].under_check, read_verdicts({flags.checked[i]}));
        for (const verdict& v : turns[i].under_check)
            if (!is_checked(v.setting))
                return data_error(flags.checked[i] +
                                  " has verdicts that were made without --check");
    }
    return turns;
}

result<rating_settings> settings_of(const reward_flags& flags) {
    rating_settings settings;
    CUSET_ASSIGN(settings.formula, reward_formula::parse(flags.formula));
    settings.discount = flags.discount;
    settings.advantage = flags.advantages();
    settings.drops_equal = flags.drop_equal;
    return settings;
}

status check(const reward_flags& flags) {
    if (flags.verdicts.empty()) return usage_error("--verdicts is missing");
    if (!flags.checked.empty() && flags.checked.size() != flags.verdicts.size())
        return usage_error("--checked and --verdicts are given once for each turn");
    if (!(flags.discount >= 0 && flags.discount <= 1))
        return usage_error("--discount is a number from 0 to 1");
    if (flags.advantage == "none" && (flags.drop_equal || flags.discount > 0))
        return usage_error("--drop-equal and --discount need advantages");
    return {};
}

void note_omissions(const omissions& left_out) {
    if (const auto count = left_out.unjudged.load(); count > 0)
        log(log_level::note,
            std::to_string(count) + " left out: unsupported, or the evaluator failed on them");
    if (const auto count = left_out.equal.load(); count > 0)
        log(log_level::note,
            std::to_string(count) + " left out: all answers to their task have the same return");
}

result<stream_summary> reward(const reward_flags& flags) {
    CUSET_TRY(check(flags));
    CUSET_ASSIGN(const rating_settings settings, settings_of(flags));
    CUSET_ASSIGN(const auto turns, read_turns(flags));
    if (settings.formula.names(reward_part::checked) && flags.checked.empty() &&
        !is_checked(turns[0].own.front().setting))
        return usage_error(
            "the formula names checked, and the verdicts were made without --check: "
            "--checked gives others");
    CUSET_ASSIGN(const ratings all, ratings::make(turns, settings));
    omissions left_out;
    CUSET_ASSIGN(const stream_summary summary,
                 filter_records(to_stream_options(flags.stream, output_form::records),
                                with_key("reward"), [&]() -> made_worker {
                                    return std::unique_ptr<record_worker>(new reward_worker(
                                        all, settings.advantage.has_value(), left_out));
                                }));
    note_omissions(left_out);
    return summary;
}

}  // namespace

int main(int argc, char** argv) {
    reward_flags flags;
    program p = describe(flags);
    return run_tool(p, flags.stream, argc, argv, {.run = [&] { return reward(flags); }});
}
