#include "ask_template.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "cuset/base/fd.h"

namespace cuset {

namespace {

/// Takes the next line off the text, with its newline.
std::string_view take_line(std::string_view& text) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end == text.npos ? text.size() : end + 1);
    text.remove_prefix(line.size());
    return line;
}

std::string_view without_newline(std::string_view text) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    return text;
}

struct role_line {
    std::string_view role;
    bool verbatim = false;
};

/// A line "--- WORD" or "--- WORD verbatim"; any other line is text.
std::optional<role_line> role_of(std::string_view line) {
    constexpr std::string_view mark = "--- ", verbatim = " verbatim";
    line = without_newline(line);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.starts_with(mark)) return {};
    role_line found{line.substr(mark.size())};
    found.verbatim = found.role.ends_with(verbatim);
    if (found.verbatim) found.role.remove_suffix(verbatim.size());
    const bool is_word =
        !found.role.empty() &&
        found.role.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == found.role.npos;
    return is_word ? std::optional(found) : std::nullopt;
}

}  // namespace

/// Reads messages line by line, and their places.
class ask_template::reader {
public:
    reader(const std::string& path, std::string_view text) : path_(path), rest_(text) {}

    /// The messages, the last of which may be the assistant's.
    result<std::vector<message>> read();
    /// Takes the assistant's last message off, if there is one.
    result<answer_form> take_answer(std::vector<message>& messages) const;

private:
    status begin_message(const role_line& role);
    status end_message();
    status read_text(std::string_view text, std::size_t line, std::vector<piece>& pieces) const;
    status read_place(std::string_view& text, std::size_t line, std::vector<piece>& pieces) const;
    status read_item(std::string_view& text, std::size_t line, std::vector<piece>& pieces) const;
    status read_file(std::string_view name, std::size_t line, std::vector<piece>& pieces) const;
    status wrong(std::size_t line, const std::string& what) const {
        return data_error(path_ + ':' + std::to_string(line) + ": " + what);
    }
    static void add_text(std::string_view text, std::size_t line, std::vector<piece>& pieces) {
        if (pieces.empty() || pieces.back().what != place::text)
            pieces.push_back({place::text, {}, line, {}});
        pieces.back().text += text;
    }

    const std::string& path_;
    std::string_view rest_;
    std::size_t line_ = 0;
    std::vector<message> messages_;
    bool verbatim_ = false;
    std::string_view body_;  // of the message being read
    std::size_t body_line_ = 0;
};

result<std::vector<ask_template::message>> ask_template::reader::read() {
    while (!rest_.empty()) {
        const char* const begin = rest_.data();
        const std::string_view line = take_line(rest_);
        ++line_;
        if (const auto role = role_of(line)) {
            CUSET_TRY(end_message());
            CUSET_TRY(begin_message(*role));
        } else if (!messages_.empty()) {
            body_ = {body_.empty() ? begin : body_.data(), body_.size() + line.size()};
        } else if (!line.starts_with('#') && line.find_first_not_of(" \t\r\n") != line.npos) {
            return wrong(line_, "text before the first line with a role, such as \"--- user\"");
        }
    }
    CUSET_TRY(end_message());
    if (messages_.empty() || messages_.back().role == "system")
        return wrong(std::max<std::size_t>(line_, 1), "the user has no message");
    return std::move(messages_);
}

result<ask_template::answer_form> ask_template::reader::take_answer(
    std::vector<message>& messages) const {
    answer_form form;
    if (messages.back().role != "assistant") return form;
    bool is_found = false;
    for (piece& p : messages.back().pieces) {
        const bool is_response = p.what == place::member && p.text == "response";
        if (is_response && is_found) return wrong(p.line, "{response} a second time");
        if (p.what == place::level_prompt)
            return wrong(p.line, "{level_prompt} is no part of an answer");
        if (is_response)
            is_found = true;
        else
            (is_found ? form.after : form.before).push_back(std::move(p));
    }
    if (!is_found)
        return wrong(line_,
                     "the last message is the assistant's and lacks {response}, the place of the "
                     "record's response");
    messages.pop_back();
    return form;
}

status ask_template::reader::begin_message(const role_line& role) {
    const std::string before = messages_.empty() ? "" : messages_.back().role;
    if (role.role != "system" && role.role != "user" && role.role != "assistant")
        return wrong(
            line_, "the role \"" + std::string(role.role) + "\" is not system, user or assistant");
    if (role.role == "system" && !messages_.empty())
        return wrong(line_, "the system message is not the first");
    if ((role.role == "assistant") != (before == "user") && role.role != "system")
        return wrong(line_, "user and assistant do not take turns");
    messages_.push_back({std::string(role.role), {}});
    verbatim_ = role.verbatim;
    body_ = {};
    body_line_ = line_ + 1;
    return {};
}

status ask_template::reader::end_message() {
    if (messages_.empty()) return {};
    auto& pieces = messages_.back().pieces;
    const std::string_view body = without_newline(body_);
    if (!verbatim_) return read_text(body, body_line_, pieces);
    add_text(body, body_line_, pieces);
    return {};
}

status ask_template::reader::read_text(std::string_view text, std::size_t line,
                                       std::vector<piece>& pieces) const {
    while (!text.empty()) {
        const std::size_t plain = std::min(text.find_first_of("{}\n"), text.size());
        add_text(text.substr(0, plain), line, pieces);
        text.remove_prefix(plain);
        if (text.empty()) break;
        if (text.starts_with("{{") || text.starts_with("}}")) {
            add_text(text.substr(0, 1), line, pieces);
            text.remove_prefix(2);
        } else if (text.front() == '\n') {
            add_text("\n", line, pieces);
            text.remove_prefix(1);
            ++line;
        } else if (text.front() == '{') {
            CUSET_TRY(read_place(text, line, pieces));
        } else {
            return wrong(line, "a } without its {; }} is a literal brace");
        }
    }
    return {};
}

status ask_template::reader::read_place(std::string_view& text, std::size_t line,
                                        std::vector<piece>& pieces) const {
    text.remove_prefix(1);
    const std::size_t end = text.find_first_of(":{}\n");
    if (end == text.npos || text[end] == '\n' || text[end] == '{')
        return wrong(line, "a { without its } on the same line; {{ is a literal brace");
    const std::string_view name = text.substr(0, end);
    if (name.empty() || name.find_first_of(" \t\r") != name.npos)
        return wrong(line, "\"" + std::string(name) +
                               "\" in braces is no name of a member; {{ and }} are literal braces");
    const bool has_more = text[end] == ':';
    text.remove_prefix(end + 1);
    if (name == "file" && has_more) {
        const std::size_t close = text.find_first_of("}\n");
        if (close == text.npos || text[close] == '\n')
            return wrong(line, "{file:PATH} does not end on its line");
        CUSET_TRY(read_file(text.substr(0, close), line, pieces));
        text.remove_prefix(close + 1);
        return {};
    }
    constexpr std::array<std::pair<std::string_view, place>, 4> known{{
        {"inputs", place::inputs},
        {"outputs", place::outputs},
        {"context_files", place::context_files},
        {"level_prompt", place::level_prompt},
    }};
    piece p{place::member, std::string(name), line, {}};
    for (const auto& [word, what] : known)
        if (name == word) p.what = what;
    const bool takes_item = p.what == place::inputs || p.what == place::outputs;
    if (has_more && !takes_item)
        return wrong(line, "{" + std::string(name) +
                               ":…} is not known: there are {file:PATH}, {inputs:ITEM} and "
                               "{outputs:ITEM}");
    if (has_more) CUSET_TRY(read_item(text, line, p.item));
    pieces.push_back(std::move(p));
    return {};
}

/// Reads up to the brace that ends the list.
status ask_template::reader::read_item(std::string_view& text, std::size_t line,
                                       std::vector<piece>& pieces) const {
    constexpr std::array<std::pair<std::string_view, place>, 6> known{{
        {"name", place::name},
        {"dtype", place::dtype},
        {"shape", place::shape},
        {"type", place::type},
        {"count", place::count},
        {"file", place::file},
    }};
    add_text("", line, pieces);  // an empty item is one too
    for (;;) {
        const std::size_t plain = text.find_first_of("{}\n");
        if (plain == text.npos || text[plain] == '\n')
            return wrong(line,
                         "an item of {inputs:ITEM} or {outputs:ITEM} does not end on its line");
        add_text(text.substr(0, plain), line, pieces);
        text.remove_prefix(plain);
        if (text.starts_with("{{") || text.starts_with("}}")) {
            add_text(text.substr(0, 1), line, pieces);
            text.remove_prefix(2);
            continue;
        }
        const bool ends = text.front() == '}';
        text.remove_prefix(1);
        if (ends) return {};
        const std::size_t close = text.find('}');
        const std::string_view name = text.substr(0, close);
        const auto* const found = std::find_if(known.begin(), known.end(),
                                               [&](const auto& k) { return k.first == name; });
        if (close == text.npos || found == known.end())
            return wrong(line, "an array has no \"" +
                                   std::string(name.substr(0, name.find_first_of("{}\n"))) +
                                   "\"; it has name, dtype, shape, type, count and file");
        pieces.push_back({found->second, {}, line, {}});
        text.remove_prefix(close + 1);
    }
}

status ask_template::reader::read_file(std::string_view name, std::size_t line,
                                       std::vector<piece>& pieces) const {
    if (name.empty()) return wrong(line, "{file:PATH} without a path");
    const std::filesystem::path path = std::filesystem::path(path_).parent_path() / name;
    std::error_code unknown;
    if (std::filesystem::exists(path, unknown) && !std::filesystem::is_regular_file(path, unknown))
        return wrong(line, "{file:" + std::string(name) + "} is no file with an end");
    auto text = read_whole_file(path.string());
    if (!text) return wrong(line, text.error().message());
    add_text(without_newline(*text), line, pieces);
    return {};
}

result<ask_template> ask_template::parse(const std::string& path, std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    ask_template t;
    t.path_ = path;
    reader r(path, text);
    CUSET_ASSIGN(t.messages_, r.read());
    CUSET_ASSIGN(t.answer_, r.take_answer(t.messages_));
    std::string all;
    const auto add = [&all](const auto& self, const piece& p) -> void {
        all += static_cast<char>(p.what);
        all += p.text + '\0';
        for (const piece& inner : p.item) self(self, inner);
        all += '\0';
    };
    for (const message& m : t.messages_) {
        all += m.role + '\0';
        for (const piece& p : m.pieces) add(add, p);
        all += '\0';
    }
    for (const auto* part : {&t.answer_.before, &t.answer_.after}) {
        for (const piece& p : *part) add(add, p);
        all += '\0';
    }
    t.hash_ = fnv1a_64(all);
    return t;
}

status ask_template::at_line(const piece& p, const status& wrong) const {
    return data_error(wrong.message() + ", and " + path_ + ':' + std::to_string(p.line) +
                      " asks for it");
}

std::string ask_template::item_of(const piece& p, const task_array& array) {
    std::string text;
    for (const piece& part : p.item) {
        switch (part.what) {
            case place::name: text += array.name; break;
            case place::dtype: text += array.dtype; break;
            case place::shape: text += array.shape; break;
            case place::type: text += array.type(); break;
            case place::count: text += array.count ? std::to_string(*array.count) : "?"; break;
            case place::file: text += array.file(); break;
            default: text += part.text;
        }
    }
    return text;
}

result<std::string> ask_template::text_of(const std::vector<piece>& pieces,
                                          const task_fields& fields) const {
    std::string text;
    for (const piece& p : pieces) {
        const auto more = filled(p, fields);
        if (!more) return at_line(p, more.error());
        text += *more;
    }
    return text;
}

result<response_frame> ask_template::frame(const task_fields& fields) const {
    CUSET_ASSIGN(std::string before, text_of(answer_.before, fields));
    CUSET_ASSIGN(std::string after, text_of(answer_.after, fields));
    return response_frame{std::move(before), std::move(after)};
}

result<std::string> ask_template::filled(const piece& p, const task_fields& fields) const {
    if (p.what == place::text) return p.text;
    if (p.what == place::member) return fields.text(p.text);
    if (p.what == place::context_files) {
        CUSET_ASSIGN(const auto files, fields.files(p.text));
        return shown_files(files);
    }
    CUSET_ASSIGN(const auto arrays, fields.arrays(p.text));
    std::string text;
    for (const task_array& array : arrays) {
        if (&array != &arrays.front()) text += '\n';
        text += p.item.empty() ? shown_array(array, fields.is_hip()) : item_of(p, array);
    }
    return text;
}

}  // namespace cuset
