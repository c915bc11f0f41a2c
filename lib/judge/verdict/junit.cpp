// Verdicts as JUnit XML, which CI systems show.
#include <map>

#include "cuset/base/format.h"
#include "cuset/base/visible_text.h"
#include "cuset/judge/report.h"
#include "verdict/task_outcomes.h"

namespace cuset {

namespace {

void append_xml(std::string_view text, std::string& out) {
    for (const char c : visible_text(text)) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            default: out += c;
        }
    }
}

std::string seconds(double value) { return format("%.3f", value); }

struct suite {
    std::string cases;
    std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
    double time = 0;
};

void add_case(const task_outcomes& task, std::size_t sample, suite& s) {
    const verdict* v = task.samples[sample];
    const double time = v ? v->compile_seconds + v->run_seconds + v->compare_seconds : 0;
    ++s.tests;
    s.time += time;
    s.cases += "    <testcase classname=\"";
    append_xml(task.of.family, s.cases);
    s.cases += "\" name=\"task ";
    append_xml(task.of.id, s.cases);
    s.cases += " sample " + std::to_string(sample) + "\" time=\"" + seconds(time) + "\"";
    if (v && v->passed()) {
        s.cases += "/>\n";
        return;
    }
    if (v && v->why == failure::unsupported) {
        ++s.skipped;
        s.cases += ">\n      <skipped message=\"unsupported: ";
    } else {
        const bool error = v && v->why == failure::evaluator;
        ++(error ? s.errors : s.failures);
        const std::string element = error ? "error" : "failure";
        s.cases += ">\n      <" + element + " type=\"";
        s.cases += v ? name_of(v->why) : "missing";
        s.cases += "\" message=\"";
    }
    append_xml(v ? v->diagnostic : "there is no such sample", s.cases);
    s.cases += "\"/>\n    </testcase>\n";
}

}  // namespace

std::string to_junit(const evaluation_report& report, const std::vector<counted_task>& tasks,
                     const std::vector<verdict>& verdicts, const report_options& options) {
    const std::size_t samples = report.samples;
    const outcome_table table = arrange(tasks, verdicts, samples);
    std::map<std::string, suite> suites;
    for (const auto& task : table.tasks) {
        if (options.left_out.contains(task.of.id)) continue;
        for (std::size_t i = 0; i < samples; ++i) add_case(task, i, suites[task.of.family]);
    }
    std::string out =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"cuset-eval\">\n";
    std::string properties;
    const auto add_property = [&](std::string_view name, std::string_view value) {
        properties.append("      <property name=\"").append(name).append("\" value=\"");
        append_xml(value, properties);
        properties += "\"/>\n";
    };
    add_property("backend", report.setting.backend);
    add_property("toolchain", report.setting.toolchain);
    add_property("protocol", name_of(report.setting.rule));
    add_property("inputs", std::to_string(report.setting.inputs));
    add_property("task_data", report.task_data.hexadecimal());
    add_property("samples", std::to_string(samples));
    add_property("seed", std::to_string(report.seed));
    add_property("left_out", std::to_string(report.left_out));
    for (const auto& [family, s] : suites) {
        out += "  <testsuite name=\"";
        append_xml(family, out);
        out += "\" tests=\"" + std::to_string(s.tests) + "\" failures=\"" +
               std::to_string(s.failures) + "\" errors=\"" + std::to_string(s.errors) +
               "\" skipped=\"" + std::to_string(s.skipped) + "\" time=\"" + seconds(s.time) +
               "\">\n    <properties>\n" + properties + "    </properties>\n" + s.cases +
               "  </testsuite>\n";
    }
    return out + "</testsuites>\n";
}

}  // namespace cuset
