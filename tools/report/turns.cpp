#include "turns.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "cuset/base/format.h"
#include "cuset/base/log.h"
#include "cuset/base/visible_text.h"
#include "cuset/judge/turn_report.h"
#include "cuset/judge/verdict_log.h"
#include "cuset/stream/json_writer.h"
#include "cuset/stream/pair_record.h"
#include "tool.h"

namespace cuset {

namespace {

result<turn_report> count_turns(const report_flags& flags) {
    CUSET_ASSIGN(const report_options options, to_report_options(flags.counting));
    std::vector<counted_task> counted;
    if (!flags.tasks.empty()) {
        CUSET_ASSIGN(const task_set tasks, task_set::read(flags.tasks));
        counted = counted_tasks(flags.stream, tasks);
    }
    std::vector<judged_turn> turns;
    for (const auto& file : flags.stream.files) {
        CUSET_ASSIGN(auto verdicts, read_verdicts({file}));
        // A later turn has none where all have passed before it.
        if (verdicts.empty() && turns.empty()) return data_error(file + ": there are no verdicts");
        std::erase_if(verdicts, [&](const verdict& v) {
            return !is_in_shard(v.task, flags.stream.shard_index, flags.stream.shard_count);
        });
        turns.push_back({file, std::move(verdicts)});
    }
    return make_turn_report(counted, turns, options);
}

/// What is right and what is not, in turn `t` from 1.
void append_notes(std::size_t t, const turn_rates& turn, std::string& out) {
    const std::string of = "turn " + std::to_string(t) + ": ";
    if (turn.unsupported > 0)
        out += format("unsupported %s%s not judged, counted as not passed\n", of.c_str(),
                      counted(turn.unsupported, "answer", "answers").c_str());
    if (turn.evaluator > 0)
        out += format("evaluator   %s%s could not be judged, counted as not passed\n", of.c_str(),
                      counted(turn.evaluator, "answer", "answers").c_str());
    if (turn.missing > 0)
        out += format(
            "missing     %s%s of the turn before without an answer, counted as not "
            "passed\n",
            of.c_str(), counted(turn.missing, "failure", "failures").c_str());
    if (turn.tokens && turn.tokens->capped > 0)
        out += format(
            "capped      %sthe tokens of %s are worth more answers than there are samples: k is "
            "these\n",
            of.c_str(), counted(turn.tokens->capped, "task", "tasks").c_str());
}

std::string heading(const turn_report& r) {
    std::string out = counted(r.tasks, "task", "tasks") + " of " +
                      counted(r.families, "family", "families") + ", " +
                      counted(r.samples, "sample", "samples") + " each, " +
                      counted(r.turns.size(), "turn", "turns") + '\n';
    out += "verdicts    " + visible_text(describe(r.setting)) + '\n';
    out += "task data   " + r.task_data.hexadecimal() + '\n';
    out += format("bootstrap   %zu resamples of families, seed %llu, 95 %% intervals\n",
                  r.resamples, static_cast<unsigned long long>(r.seed));
    if (r.left_out > 0)
        out += "left out    " + counted(r.left_out, "task", "tasks") + ", not counted below\n";
    if (r.surplus > 0)
        out += "surplus     " + counted(r.surplus, "verdict", "verdicts") +
               " beyond the samples wanted, not counted\n";
    if (r.missing > 0)
        out += "missing     turn 1: " + counted(r.missing, "sample", "samples") +
               " without a verdict, counted as failures\n";
    bool lacks_samples = false, lacks_tokens = false;
    for (std::size_t t = 0; t < r.turns.size(); ++t) {
        append_notes(t + 1, r.turns[t], out);
        lacks_samples = lacks_samples || !r.turns[t].equal_samples;
        lacks_tokens = lacks_tokens || !r.turns[t].tokens;
    }
    if (lacks_samples) out += "dashes      pass@turn needs as many samples as turns\n";
    if (lacks_tokens) out += "dashes      not all answers have their number of tokens\n";
    return out;
}

std::string to_text(const turn_report& r) {
    std::string out = heading(r);
    out += format("\n%4s %8s %8s %8s %8s\n", "turn", "answers", "passed", "solved", "serial");
    for (std::size_t t = 0; t < r.turns.size(); ++t) {
        const auto& turn = r.turns[t];
        out += format("%4zu %8zu %8zu %8zu %s\n", t + 1, turn.answers, turn.passed, turn.solved,
                      describe(turn.serial).c_str());
    }
    out += format("\nequal samples\n%4s %8s %9s %8s\n", "turn", "serial", "pass@turn",
                  "serial - pass@turn");
    for (std::size_t t = 0; t < r.turns.size(); ++t) {
        const auto& turn = r.turns[t];
        out += format("%4zu %8.4f ", t + 1, turn.serial.mean);
        out += turn.equal_samples ? format("%9.4f ", turn.equal_samples->value.mean) +
                                        describe(turn.equal_samples->difference)
                                  : format("%9s %8s", "-", "-");
        out += '\n';
    }
    out += format("\nequal tokens\n%4s %8s %10s %8s %8s %8s\n", "turn", "serial", "tokens", "k",
                  "pass@k", "serial - pass@k");
    for (std::size_t t = 0; t < r.turns.size(); ++t) {
        const auto& turn = r.turns[t];
        out += format("%4zu %8.4f ", t + 1, turn.serial.mean);
        out += turn.tokens ? format("%10.1f %8.3f %8.4f ", turn.tokens->tokens,
                                    turn.tokens->answers, turn.tokens->parallel.value.mean) +
                                 describe(turn.tokens->parallel.difference)
                           : format("%10s %8s %8s %8s", "-", "-", "-", "-");
        out += '\n';
    }
    return out;
}

void write_rate(const char* name, const rate& value, json_writer& json) {
    json.key(name).begin_object().member("mean", value.mean, 6).member("low", value.low, 6);
    json.member("high", value.high, 6).end_object();
}

void write_parallel(const parallel_rate& parallel, json_writer& json) {
    write_rate("parallel", parallel.value, json);
    write_rate("serial_minus_parallel", parallel.difference, json);
}

void write_turn(std::size_t t, const turn_rates& turn, json_writer& json) {
    json.begin_object().member("turn", t).member("answers", turn.answers);
    json.member("passed", turn.passed).member("unsupported", turn.unsupported);
    json.member("not_judged", turn.evaluator).member("missing", turn.missing);
    json.member("solved", turn.solved);
    write_rate("serial", turn.serial, json);
    json.key("equal_samples");
    if (turn.equal_samples) {
        json.begin_object().member("k", t);
        write_parallel(*turn.equal_samples, json);
        json.end_object();
    } else {
        json.null();
    }
    json.key("equal_tokens");
    if (turn.tokens) {
        json.begin_object().member("tokens", turn.tokens->tokens, 6);
        json.member("k", turn.tokens->answers, 6).member("capped", turn.tokens->capped);
        write_parallel(turn.tokens->parallel, json);
        json.end_object();
    } else {
        json.null();
    }
    json.end_object();
}

std::string to_json(const turn_report& r) {
    std::string out;
    json_writer json(out);
    json.begin_object();
    json.member("backend", r.setting.backend).member("toolchain", r.setting.toolchain);
    json.member("protocol", name_of(r.setting.rule)).member("inputs", r.setting.inputs);
    json.member("task_data", r.task_data.hexadecimal()).member("seed", r.seed);
    json.member("resamples", r.resamples).member("tasks", r.tasks);
    json.member("families", r.families).member("samples", r.samples);
    json.member("left_out", r.left_out).member("missing", r.missing);
    json.member("surplus", r.surplus).key("turns").begin_array();
    for (std::size_t t = 0; t < r.turns.size(); ++t) write_turn(t + 1, r.turns[t], json);
    json.end_array().end_object();
    return out + '\n';
}

}  // namespace

status report_turns(const report_flags& flags, output& out, std::size_t& unjudged) {
    CUSET_ASSIGN(const turn_report report, count_turns(flags));
    std::size_t answers = 0;
    for (const auto& turn : report.turns) {
        answers += turn.answers;
        unjudged += turn.evaluator;
    }
    if (unjudged > 0)
        log(log_level::warning, std::to_string(unjudged) + " of " + std::to_string(answers) +
                                    " answers could not be judged, and count as not passed");
    CUSET_TRY(out.write(flags.counting.json ? to_json(report) : to_text(report)));
    return out.finish();
}

}  // namespace cuset
