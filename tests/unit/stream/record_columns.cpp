// What a dataset_info.json makes of records.
#include "cuset/stream/record_columns.h"

#include <boost/test/unit_test.hpp>

#include "record_text.h"

using namespace cuset;
using namespace cuset::test;

namespace {

// The columns of a data set, or the message without the file's name.
result<record_columns> columns_of(const std::string& set) {
    const temporary_folder folder;
    write_file(folder / "info.json", "{\"other\": {}, \"x\": " + set + "}");
    auto read = read_record_columns(folder / "info.json:x");
    if (read) return read;
    const std::string message = read.error().message(), place = folder / "info.json: x: ";
    BOOST_TEST((read.error().kind() == error_kind::data));
    BOOST_TEST(message.starts_with(place));
    return data_error(message.substr(place.size()));
}

std::string complaint(const std::string& set) {
    const auto columns = columns_of(set);
    if (!columns) return columns.error().message();
    auto o = options(both);
    o.columns = *columns;
    return check(o).message();
}

std::string read_as(const std::string& set, std::string_view record, bool questions = false) {
    auto o = options(both);
    o.columns = columns_of(set).value();
    o.questions = questions;
    BOOST_REQUIRE(check(o).is_ok());
    return read(record, o);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(columns_of_data_sets)

BOOST_AUTO_TEST_CASE(alpaca) {
    // Defaults: no system, no history, and nothing but alpaca's fields.
    for (const std::string set : {"{}", R"({"file_name": "a.json", "formatting": "alpaca"})"}) {
        BOOST_TEST(read_as(set, R"({"instruction":"i","input":"x","output":"o","system":"s",
            "history":[["q","a"]]})") == "user:i\nx|>o");
        BOOST_TEST(read_as(set, R"({"prompt":"p","response":"r"})") ==
                   "\"output\" is missing; there are \"prompt\", \"response\"");
        BOOST_TEST(read_as(set, R"({"instruction":5,"output":"o"})") ==
                   "\"instruction\" is not a string");
        BOOST_TEST(read_as(set, R"({"output":"o"})") ==
                   "\"instruction\" is missing; there is \"output\"");
    }
    const std::string set = R"({"columns": {"prompt": "question", "response": "response",
        "system": "prompt", "history": "input", "query": null}, "tags": {"role_tag": "r"}})";
    BOOST_TEST(read_as(set, R"({"question":"q","response":"r","prompt":"s","input":[["a","b"]],
        "instruction":1,"messages":2})") == "system:s|user:a|assistant:b|user:q|>r");
    BOOST_TEST(read_as(set, R"({"question":"q","response":"r","prompt":"","input":null})") ==
               "user:q|>r");
    BOOST_TEST(read_as(set, R"({"question":"q","output":"o"})") ==
               "\"response\" is missing; there are \"question\", \"output\"");
    // A prompt that is no column is no part of the question.
    BOOST_TEST(read_as(R"({"columns":{"query":"q","response":"r"}})",
                       R"({"instruction":"i","q":"x","r":"y"})") == "user:x|>y");
    BOOST_TEST(read_as(R"({"columns":{"prompt":"p"}})", R"({"p":"x","r":"y"})", true) ==
               "user:x|>");
    // The column's meaning replaces the one that the field has by itself.
    BOOST_TEST(read_as(R"({"columns":{"prompt":"task_id","response":"r"}})",
                       R"({"task_id":"t","r":"y"})") == "user:t|>y");
}

BOOST_AUTO_TEST_CASE(sharegpt) {
    BOOST_TEST(read_as(R"({"formatting":"sharegpt"})", R"({"conversations":[
        {"from":"human","value":"h","role":"x","content":1},{"from":"gpt","value":"g"}],
        "system":"s"})") == "user:h|>g");
    const std::string set = R"({"formatting": "sharegpt",
        "columns": {"messages": "talk", "system": "rules", "prompt": "ignored"},
        "tags": {"role_tag": "who", "content_tag": "says", "user_tag": "gpt",
                 "assistant_tag": "human", "system_tag": "boss"}})";
    BOOST_TEST(read_as(set, R"({"talk":[{"who":"gpt","says":"u"},{"who":"human","says":"a"}],
        "rules":"s","ignored":"i","from":"x"})") == "system:s|user:u|>a");
    BOOST_TEST(read_as(set, R"({"talk":[{"who":"boss","says":"b"},{"who":"gpt","says":"u"},
        {"who":"human","says":"a"}],"rules":"s"})") == "system:b|user:u|>a");
    BOOST_TEST(read_as(set, R"({"talk":[{"who":"gpt","says":"u"}]})", true) == "user:u|>");
    for (const auto role : {"user", "assistant", "system", "observation"})
        BOOST_TEST(
            read_as(set, R"({"talk":[{"who":"gpt","says":"u"},{"who":")" + std::string(role) +
                             R"(","says":"x"},{"who":"human","says":"a"}]})") ==
            "\"talk\" has a turn of the role \"" + std::string(role) + "\", which is not read");
    BOOST_TEST(read_as(set, R"({"talk":[{"says":"u"},{"who":"human","says":"a"}]})") ==
               "\"talk\" has a turn of the role \"(none)\", which is not read");
    // Of duplicate keys the last counts, whatever roles the others had.
    BOOST_TEST(read_as(set, R"({"talk":[{"who":"x"}],"talk":[{"who":"gpt","says":"u"},
        {"who":"human","says":"a"}]})") == "user:u|>a");
    BOOST_TEST(read_as(set, R"({"talk":"x"})") == "\"talk\" is not an array of turns");
    BOOST_TEST(read_as(set, R"({"messages":[]})") == "\"talk\" is missing; there is \"messages\"");
    // Tags that leave out the system's have none.
    BOOST_TEST(read_as(R"({"formatting":"sharegpt","tags":{"role_tag":"from",
        "content_tag":"value","user_tag":"human","assistant_tag":"gpt"}})",
                       R"({"conversations":[{"from":"system","value":"s"},
        {"from":"gpt","value":"a"}]})") ==
               "\"conversations\" has a turn of the role \"system\", which is not read");
}

BOOST_AUTO_TEST_CASE(columns_that_are_not_read) {
    const std::string set = R"({"columns": {"prompt": "p", "response": "r", "tools": "t",
        "images": "pictures", "backtrack_content": "b"}})";
    for (const auto unused : {"null", "\"\"", "[]", "{}", "false"})
        BOOST_TEST(read_as(set, R"({"p":"p","r":"r","pictures":)" + std::string(unused) +
                                    R"(,"images":[1]})") == "user:p|>r");
    for (const auto used : {"\"x\"", "[1]", "{\"a\":[1]}", "true", "0"})
        BOOST_TEST(
            read_as(set, R"({"p":"p","r":"r","pictures":)" + std::string(used) + R"(,"t":""})") ==
            "\"pictures\" holds \"images\" of the data set, which is not read");
    BOOST_TEST(read_as(set, R"({"p":"p","r":"r","b":"x","b":null})") == "user:p|>r");
    BOOST_TEST(read_as(set, R"({"p":"p","r":"r","t":[{"a":tru}]})") == "not valid JSON");
}

BOOST_AUTO_TEST_CASE(data_sets_that_cannot_be) {
    BOOST_TEST(complaint("[]") == "not a JSON object");
    BOOST_TEST(complaint(R"({"formatting":"openai"})") ==
               "formatting \"openai\" is not modelled: alpaca and sharegpt are");
    BOOST_TEST(complaint(R"({"formatting":1})") == "\"formatting\" is not a string");
    BOOST_TEST(complaint(R"({"ranking":true})") ==
               "ranking (chosen and rejected answers) is not modelled");
    BOOST_TEST(complaint(R"({"ranking":false})") == "");
    BOOST_TEST(complaint(R"({"columns":["p"]})") == "\"columns\" is not an object");
    BOOST_TEST(complaint(R"({"columns":{"prompt":1}})") == "columns: \"prompt\" is not a string");
    BOOST_TEST(complaint(R"({"columns":{"prompt":"a","query":"a","response":"r"}})") ==
               "columns name \"a\" twice");
    BOOST_TEST(complaint(R"({"columns":{"prompt":"a"}})") ==
               "--columns: the data set has no response");
    BOOST_TEST(complaint(R"({"columns":{"prompt":"id","response":"r"}})") ==
               "--columns: \"id\" has another meaning here");
    BOOST_TEST(complaint(R"({"formatting":"sharegpt","columns":{"system":"s"}})") ==
               "columns name no \"messages\"");
    BOOST_TEST(complaint(R"({"formatting":"sharegpt","tags":{"role_tag":"r"}})") ==
               "tags name no \"content_tag\"");
    BOOST_TEST(complaint(R"({"tags":{"rol_tag":"r"}})") == "tags: \"rol_tag\" is no tag");
    BOOST_TEST(complaint(R"({"formatting":"sharegpt","tags":{"role_tag":"r","content_tag":"c",
        "user_tag":"u","assistant_tag":"u"}})") == "tags name \"u\" twice");
}

BOOST_AUTO_TEST_CASE(files_that_cannot_be) {
    const temporary_folder folder;
    const auto told = [](const std::string& where) {
        return read_record_columns(where).error().message();
    };
    for (const std::string where : {"info.json", ":x", "info.json:", ""})
        BOOST_TEST(told(where) == "--columns: \"" + where + "\" is not FILE:NAME");
    BOOST_TEST(told(folder / "none:x") == (folder / "none") + ": No such file or directory");
    for (const auto text : {"", "[", "[]", "{\"a\"}"}) {
        write_file(folder / "i", text);
        BOOST_TEST(told(folder / "i:x") == (folder / "i") + ": not a JSON object");
    }
    write_file(folder / "i", R"({"a":{}})");
    const std::string none = "--columns: " + (folder / "i") + " has no data set \"x\"";
    BOOST_TEST(told(folder / "i:x") == none + "; there is \"a\"");
    write_file(folder / "i", "{}");
    BOOST_TEST(told(folder / "i:x") == none);
    std::string many;
    for (const char name : std::string("abcdefghij"))
        many += std::string(many.empty() ? "{\"" : ",\"") + name + "\":{}";
    write_file(folder / "i", many + '}');
    BOOST_TEST(told(folder / "i:x") ==
               none +
                   "; there are \"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\" and 2 more");
}

BOOST_AUTO_TEST_SUITE_END()
