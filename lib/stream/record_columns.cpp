#include "cuset/stream/record_columns.h"

#include <simdjson.h>

#include <array>
#include <optional>
#include <string_view>

#include "cuset/base/fd.h"

namespace cuset {
namespace {

namespace dom = simdjson::dom;
using simdjson::SUCCESS;
using name_member = std::string record_columns::*;
using named_members = std::initializer_list<std::pair<std::string_view, name_member>>;

std::string in_quotes(std::string_view text) { return '"' + std::string(text) + '"'; }

// The last of duplicate keys counts.
std::optional<dom::element> find(const dom::object& object, std::string_view wanted) {
    std::optional<dom::element> found;
    for (const auto [key, value] : object)
        if (key == wanted) found = value;
    return found && !found->is_null() ? found : std::nullopt;
}

// Sets the members that the object names, and empties the others. `other` takes the rest.
template <class Other>
status read_names(const dom::object& object, std::string_view what, const named_members& members,
                  record_columns& out, const Other& other) {
    for (const auto& [key, member] : members) (out.*member).clear();
    for (const auto [key, value] : object) {
        std::string_view name;
        if (!value.is_null() && value.get(name) != SUCCESS)
            return data_error(std::string(what) + ": " + in_quotes(key) + " is not a string");
        bool is_known = false;
        for (const auto& [known, member] : members)
            if (key == known) out.*member = name, is_known = true;
        if (!is_known) CUSET_TRY(other(key, name));
    }
    return {};
}

status read_columns(const dom::object& object, record_columns& out) {
    const auto not_read = [&](std::string_view key, std::string_view name) -> status {
        // Columns of the other formatting mean nothing.
        for (const std::string_view alpaca : {"prompt", "query", "response", "history"})
            if (out.is_conversation && key == alpaca) return {};
        if (!out.is_conversation && key == "messages") return {};
        if (!name.empty()) out.not_read.emplace_back(name, key);
        return {};
    };
    if (out.is_conversation)
        return read_names(
            object, "columns",
            {{"system", &record_columns::system}, {"messages", &record_columns::messages}}, out,
            not_read);
    return read_names(object, "columns",
                      {{"system", &record_columns::system},
                       {"prompt", &record_columns::prompt},
                       {"query", &record_columns::query},
                       {"response", &record_columns::response},
                       {"history", &record_columns::history}},
                      out, not_read);
}

status read_tags(const dom::object& object, record_columns& out) {
    return read_names(object, "tags",
                      {{"role_tag", &record_columns::role_tag},
                       {"content_tag", &record_columns::content_tag},
                       {"user_tag", &record_columns::user_tag},
                       {"assistant_tag", &record_columns::assistant_tag},
                       {"system_tag", &record_columns::system_tag},
                       {"observation_tag", &record_columns::observation_tag},
                       {"function_tag", &record_columns::function_tag}},
                      out, [](std::string_view key, std::string_view) {
                          return data_error("tags: " + in_quotes(key) + " is no tag");
                      });
}

// Two names for one thing could not both be read.
status check_distinct(std::string_view what, std::initializer_list<std::string_view> names) {
    for (const auto* b = names.begin(); b != names.end(); ++b)
        for (const auto* a = names.begin(); a != b; ++a)
            if (*a == *b && !a->empty())
                return data_error(std::string(what) + " name " + in_quotes(*a) + " twice");
    return {};
}

status check_names(const record_columns& c) {
    if (!c.is_conversation)
        return check_distinct("columns", {c.prompt, c.query, c.response, c.history, c.system});
    if (c.messages.empty()) return data_error("columns name no \"messages\"");
    if (c.role_tag.empty()) return data_error("tags name no \"role_tag\"");
    if (c.content_tag.empty()) return data_error("tags name no \"content_tag\"");
    if (c.user_tag.empty()) return data_error("tags name no \"user_tag\"");
    if (c.assistant_tag.empty()) return data_error("tags name no \"assistant_tag\"");
    CUSET_TRY(check_distinct("columns", {c.messages, c.system}));
    CUSET_TRY(check_distinct("tags", {c.role_tag, c.content_tag}));
    return check_distinct(
        "tags", {c.user_tag, c.assistant_tag, c.system_tag, c.observation_tag, c.function_tag});
}

status read_data_set(const dom::object& set, record_columns& out) {
    if (const auto formatting = find(set, "formatting")) {
        std::string_view name;
        if (formatting->get(name) != SUCCESS) return data_error("\"formatting\" is not a string");
        if (name != "alpaca" && name != "sharegpt")
            return data_error("formatting " + in_quotes(name) +
                              " is not modelled: alpaca and sharegpt are");
        out.is_conversation = name == "sharegpt";
    }
    if (const auto ranking = find(set, "ranking")) {
        bool is_ranking = false;
        if (ranking->get(is_ranking) != SUCCESS)
            return data_error("\"ranking\" is neither true nor false");
        if (is_ranking) return data_error("ranking (chosen and rejected answers) is not modelled");
    }
    for (const auto& [key, read] : {std::pair{"columns", &read_columns}, {"tags", &read_tags}}) {
        const auto value = find(set, key);
        dom::object names;
        if (!value) continue;
        if (value->get(names) != SUCCESS) return data_error(in_quotes(key) + " is not an object");
        CUSET_TRY(read(names, out));
    }
    return check_names(out);
}

}  // namespace

result<record_columns> read_record_columns(const std::string& where) {
    const std::size_t colon = where.rfind(':');
    if (colon == where.npos || colon == 0 || colon + 1 == where.size())
        return usage_error("--columns: " + in_quotes(where) + " is not FILE:NAME");
    const std::string file = where.substr(0, colon), name = where.substr(colon + 1);
    CUSET_ASSIGN(const std::string text, read_whole_file(file));
    dom::parser parser;
    dom::object sets, set;
    // simdjson would copy an empty text from null.
    if (text.empty() || parser.parse(text).get(sets) != SUCCESS)
        return data_error(file + ": not a JSON object");
    const auto found = find(sets, name);
    if (!found) {
        // LLaMA-Factory's own file has a hundred.
        constexpr std::size_t most_named = 8;
        std::string there;
        std::size_t count = 0;
        for (const auto member : sets)
            if (count++ < most_named)
                there += (there.empty() ? "" : ", ") + in_quotes(std::string(member.key));
        if (count > most_named) there += " and " + std::to_string(count - most_named) + " more";
        return usage_error(
            "--columns: " + file + " has no data set " + in_quotes(name) +
            (there.empty() ? "" : (count == 1 ? "; there is " : "; there are ") + there));
    }
    const std::string place = file + ": " + name + ": ";
    if (found->get(set) != SUCCESS) return data_error(place + "not a JSON object");
    record_columns columns;
    if (status read = read_data_set(set, columns); !read) return std::move(read).with_prefix(place);
    return columns;
}

}  // namespace cuset
