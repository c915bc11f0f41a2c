#include "findings.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "cuset/base/visible_text.h"
#include "cuset/cost/cost_record.h"
#include "cuset/sandbox/text_lines.h"
#include "cuset/stream/json_writer.h"
#include "flags.h"

namespace cuset {

namespace {

std::size_t number_at(std::string_view text) {
    std::size_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

/// "program.cu(12): error: expected ;", which a compiler's first message is.
std::optional<placed_message> placed_by_compiler(std::string_view text) {
    constexpr std::string_view end = "): ";
    const std::size_t open = text.find('('), close = text.find(end);
    if (open == text.npos || close == text.npos || open > close) return {};
    const std::size_t line = number_at(text.substr(open + 1));
    if (line == 0) return {};
    return placed_message{std::string(text.substr(0, open)), line,
                          std::string(text.substr(close + end.size()))};
}

/// The first "line 12" or "line 12 of b.cu", which the runtime's messages have.
std::optional<placed_message> placed_by_runtime(const program_files& files, std::string_view text) {
    constexpr std::string_view word = "line ", of = " of ";
    for (std::size_t at = 0; (at = text.find(word, at)) != text.npos; at += word.size()) {
        const std::string_view rest = text.substr(at + word.size());
        const std::size_t line = number_at(rest);
        if (line == 0) continue;
        const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
        std::string_view file;
        if (rest.substr(digits).starts_with(of)) {
            const std::string_view behind = rest.substr(digits + of.size());
            for (const auto& known : files.source().files)
                if (behind.starts_with(known.path) && known.path.size() > file.size())
                    file = known.path;
        }
        return placed_message{std::string(file), line, std::string(text)};
    }
    return {};
}

placed_message placed(const program_files& files, std::string_view text) {
    auto found = placed_by_compiler(text);
    if (!found) found = placed_by_runtime(files, text);
    if (!found) found = placed_message{{}, 0, std::string(text)};
    found->file = found->file.empty() ? files.first() : files.in_users_files(found->file);
    found->message = files.in_users_files(found->message);
    return *std::move(found);
}

/// Whether a line of g++'s says in which function of a source the next one is. Where a source has
/// its headers written into it, it names none of the user's files.
bool is_about_function(std::string_view line) {
    const std::size_t name = line.find("program.cu: ");
    return name == 0 || (line.starts_with("unit") && name < line.find(' '));
}

/// The compiler's messages without the lines that show the source, which are the translation's.
std::string messages_of(const program_files& files, const verdict& v) {
    std::string text;
    for (std::string_view rest = v.compiler; !rest.empty();) {
        const std::string_view line = take_line(rest);
        const std::size_t sign = line.find_first_not_of(" 0123456789");
        const bool shows_source = sign != line.npos && line[sign] == '|';
        const bool names_no_file = files.source().files.size() > 1 && is_about_function(line);
        if (!shows_source && !names_no_file) text.append(line).append("\n");
    }
    return files.in_users_files(text);
}

int exit_code_of(const program_result& ran) {
    switch (ran.judged.why) {
        case failure::none: return ran.judged.order == "warp" ? run_code::found : ran.code;
        case failure::wrong_exit: return ran.code;
        case failure::syntax_error:
        case failure::link_error:
        case failure::compile_timeout:
        case failure::compile_limit: return run_code::not_compiled;
        case failure::unsupported: return run_code::not_modelled;
        case failure::run_timeout: return run_code::too_long;
        case failure::run_limit: return run_code::too_much;
        case failure::crash:
            return ran.end == run_end::signalled ? 128 + ran.code : run_code::found;
        default: return run_code::found;
    }
}

std::string line_of(const placed_message& f, const std::string& kind) {
    std::string text = f.file;
    if (f.line > 0) text += ':' + std::to_string(f.line);
    return visible_text(text + ": " + kind + ": " + f.message) + '\n';
}

void write_place(const placed_message& f, json_writer& json) {
    json.member("file", visible_text(f.file)).key("line");
    if (f.line > 0)
        json.value(std::uint64_t{f.line});
    else
        json.null();
}

}  // namespace

run_findings findings_of(const program_files& files, const program_result& ran) {
    constexpr std::string_view note = "note: ", behind = "; note: ";
    const verdict& v = ran.judged;
    run_findings found;
    found.wrong.file = files.first();
    found.exit_code = exit_code_of(ran);
    std::string text = v.diagnostic;
    std::string notes;
    if (text.starts_with(note)) {
        notes = text.substr(note.size());
        text.clear();
    } else if (const std::size_t at = text.find(behind); at != text.npos) {
        notes = text.substr(at + behind.size());
        text.resize(at);
    }
    if (v.order == "warp") {
        found.kind = name_of(failure::race);
        const std::size_t end = notes.find(behind);
        found.wrong = placed(files, notes.substr(0, end));
        notes.erase(0, end == notes.npos ? end : end + behind.size());
    } else if (!v.passed() && v.why != failure::wrong_exit) {
        found.kind = name_of(v.why);
        found.wrong = placed(files, text);
    }
    for (const finding& f : v.findings)
        if (f.why != failure::none)
            found.all.emplace_back(name_of(f.why), placed(files, f.message));
    for (std::size_t at = 0; !notes.empty(); at = notes.find(behind)) {
        if (at == notes.npos) break;
        if (at > 0) notes.erase(0, at + behind.size());
        found.notes.push_back(placed(files, notes.substr(0, notes.find(behind))));
    }
    for (const finding& f : v.findings)
        if (f.why == failure::none) found.notes.push_back(placed(files, f.message));
    if (found.kind.empty() && ran.is_launch_unasked) {  // a kernel that nobody misses
        found.kind = name_of(failure::launch_error);
        found.wrong = placed(files, ran.refused);
        if (found.exit_code == 0) found.exit_code = run_code::found;
    } else if (found.kind.empty() && !ran.refused.empty()) {
        found.notes.push_back(placed(files, ran.refused));
    }
    found.compiler = messages_of(files, v);
    return found;
}

std::string to_text(const run_findings& found, bool quiet) {
    std::string text;
    if (!found.compiler.empty())
        text += found.compiler;
    else if (!found.kind.empty())
        text += line_of(found.wrong, found.kind);
    for (std::size_t i = 1; i < found.all.size(); ++i)
        text += line_of(found.all[i].second, found.all[i].first);
    if (quiet) return text;
    for (const auto& note : found.notes) text += line_of(note, "note");
    return text;
}

std::string to_json(const run_findings& found, const program_result& ran) {
    const verdict& v = ran.judged;
    std::string line;
    json_writer json(line);
    json.begin_object();
    write_place(found.wrong, json);
    json.member("stage", name_of(v.reached)).key("failure");
    if (found.kind.empty())
        json.null();
    else
        json.value(found.kind);
    json.member("diagnostic", visible_text(found.wrong.message)).key("notes").begin_array();
    for (const auto& note : found.notes) json.value(visible_text(note.message));
    json.end_array();
    if (!found.all.empty()) {
        json.key("findings").begin_array();
        for (const auto& [kind, f] : found.all) {
            json.begin_object().member("kind", kind).member("message", visible_text(f.message));
            write_place(f, json);
            json.end_object();
        }
        json.end_array();
    }
    const auto code_if = [&](std::string_view name, run_end end) {
        json.key(name);
        if (ran.has_ended_itself && ran.end == end)
            json.value(static_cast<std::uint64_t>(ran.code));
        else
            json.null();
    };
    code_if("exit_code", run_end::exited);
    code_if("signal", run_end::signalled);
    json.key("seconds").begin_object().member("compile", v.compile_seconds, 6);
    json.member("run", v.run_seconds, 6).end_object();
    json.member("backend", v.setting.backend).member("toolchain", v.setting.toolchain);
    if (!found.compiler.empty()) json.member("compiler", found.compiler);
    if (!v.order.empty()) json.member("order", v.order);
    if (v.cost.is_asked()) {
        json.key("cost");
        write_cost(v.cost, json);
    }
    json.end_object();
    return line + '\n';
}

}  // namespace cuset
