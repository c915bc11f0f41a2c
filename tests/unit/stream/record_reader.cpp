#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <random>

#include "cuset/stream/json_text.h"
#include "cuset/stream/pair_record.h"
#include "files_and_lines.h"

using namespace cuset;
using test::padded_line;

namespace {

constexpr auto both = record_part::response | record_part::prompt;

record_options options(record_part parts = record_part::response, std::string own_key = "tag") {
    return {
        .parts = parts, .own_key = std::move(own_key), .prompt_field = {}, .response_field = {}};
}

// What reading a line gives, in one string: "role:content|...>response", or the error.
std::string read(std::string_view text, const record_options& o = options(both)) {
    record_reader reader(o);
    pair_record record;
    // A line before it leaves its marks in every buffer; none may show.
    const padded_line before(
        R"({"id":"old","prompt":"old","response":"old","messages":[{"role":"assistant","content":"o"}],)"
        R"("tag":{"spans":[{"kind":"kernel","begin":0,"end":1}]},"score":{"end":[1],"confidence":[0]},"window":1,)"
        R"("instruction":"old","input":"old","output":"old","system":"old","history":[["a","b"]],"bench.cu":"old"})",
        6);
    static_cast<void>(reader.read(before.get(), record));
    const padded_line padded(text);
    const status s = reader.read(padded.get(), record);
    if (!s) return s.message();
    std::string out;
    for (const chat_turn& turn : record.conversation) out += turn.role + ':' + turn.content + '|';
    return out + '>' + record.response;
}

std::string id(std::string_view text) {
    record_reader reader(options());
    pair_record record;
    const padded_line padded(text);
    const status s = reader.read(padded.get(), record);
    return s ? record.id : s.message();
}

std::string spliced(std::string_view text, std::string_view own_key = "tag",
                    std::string_view value = "V") {
    record_reader reader(options(record_part::tag, std::string(own_key)));
    pair_record record;
    const padded_line padded(text);
    const status s = reader.read(padded.get(), record);
    if (!s) return s.message();
    std::string out;
    splice(record, own_key, value, out);
    return out;
}

bool is_broken(std::string_view text) { return read(text) == "not valid JSON"; }

}  // namespace

BOOST_AUTO_TEST_SUITE(records)

BOOST_AUTO_TEST_CASE(forms) {
    BOOST_TEST(read(R"({"prompt":"p","response":"r"})") == "user:p|>r");
    BOOST_TEST(read(R"({"response":"r","prompt":"p"})") == "user:p|>r");
    BOOST_TEST(read(R"({"messages":[{"role":"system","content":"s"},{"role":"user","content":"u"},
        {"role":"assistant","content":"a"}]})") == "system:s|user:u|>a");
    // The last assistant turn is the response; what comes after it is left out.
    BOOST_TEST(
        read(R"({"messages":[{"role":"user","content":"u"},{"role":"assistant","content":"a"},
        {"role":"user","content":"v"},{"role":"assistant","content":"b"},{"role":"user","content":"w"}]})") ==
        "user:u|assistant:a|user:v|>b");
    BOOST_TEST(read(R"({"messages":[{"role":"user","content":[{"type":"text","text":"x"},
        {"type":"image_url","image_url":{"url":"u"}},{"text":"y"}]},
        {"role":"assistant","content":null},{"role":"assistant","content":[{"text":"z"}]}]})") ==
               "user:xy|assistant:|>z");
    BOOST_TEST(
        read(R"({"conversations":[{"from":"human","value":"h"},{"from":"gpt","value":"g"}]})") ==
        "user:h|>g");
    BOOST_TEST(read(R"({"instruction":"i","output":"o"})") == "user:i|>o");
    BOOST_TEST(read(R"({"instruction":"i","input":"x","output":"o"})") == "user:i\nx|>o");
    BOOST_TEST(read(R"({"instruction":"","input":"x","output":"o"})") == "user:x|>o");
    BOOST_TEST(read(R"({"instruction":"i","input":"","output":"o","system":"s",
        "history":[["q","a"],["q2","a2"]]})") ==
               "system:s|user:q|assistant:a|user:q2|assistant:a2|user:i|>o");
    BOOST_TEST(read(R"({"id":3,"level1_prompt":"l","bench.cu":"code"})") == "user:l|>code");
}

BOOST_AUTO_TEST_CASE(named_fields) {
    auto o = options(both);
    o.prompt_field = "level3_prompt";
    BOOST_TEST(read(R"({"level1_prompt":"1","level3_prompt":"3","bench.cu":"c"})", o) ==
               "user:3|>c");
    BOOST_TEST(read(R"({"level1_prompt":"1","bench.cu":"c"})", o) ==
               "\"level3_prompt\" is missing");
    o.prompt_field = "instruction";
    BOOST_TEST(read(R"({"instruction":"i","input":"x","output":"o"})", o) == "user:i|>o");
    // A conversation is no place for a prompt that is asked for by name.
    BOOST_TEST(read(R"({"instruction":"i","messages":[{"role":"assistant","content":"a"}]})", o) ==
               "\"response\" is missing");
    BOOST_TEST(read(R"({"instruction":"i","conversations":[{"from":"gpt","value":"a"}]})", o) ==
               "\"response\" is missing");
    o = options(both);
    o.response_field = "code";
    BOOST_TEST(read(R"({"prompt":"p","code":"c","response":"r"})", o) == "user:p|>c");
    BOOST_TEST(read(R"({"prompt":"p","response":"r"})", o) == "\"code\" is missing");
    o.response_field = "prompt";
    o.prompt_field = "response";
    BOOST_TEST(read(R"({"prompt":"p","response":"r"})", o) == "user:r|>p");
}

BOOST_AUTO_TEST_CASE(fields_that_cannot_be_asked_for) {
    const auto said = [](const char* prompt, const char* response) {
        return check(record_options{
                         .own_key = "own", .prompt_field = prompt, .response_field = response})
            .message();
    };
    BOOST_TEST(said("", "") == "");
    BOOST_TEST(said("question", "answer") == "");
    BOOST_TEST(said("response", "prompt") == "");
    BOOST_TEST(said("response", "") == "--prompt-field: \"response\" is the response");
    BOOST_TEST(said("code", "code") == "--prompt-field: \"code\" is the response");
    for (const char* taken : {"id", "tag", "score", "own"}) {
        BOOST_TEST(said(taken, "") == "--prompt-field: \"" + std::string(taken) + "\" is no text");
        BOOST_TEST(said("", taken) ==
                   "--response-field: \"" + std::string(taken) + "\" is no text");
    }
}

BOOST_AUTO_TEST_CASE(system_beside_conversations) {
    BOOST_TEST(
        read(
            R"({"system":"s","conversations":[{"from":"human","value":"h"},{"from":"gpt","value":"g"}]})") ==
        "system:s|user:h|>g");
    BOOST_TEST(
        read(
            R"({"system":"s","conversations":[{"from":"system","value":"t"},{"from":"human","value":"h"},{"from":"gpt","value":"g"}]})") ==
        "system:t|user:h|>g");
    BOOST_TEST(read(R"({"system":"","conversations":[{"from":"gpt","value":"g"}]})") == ">g");
    BOOST_TEST(read(R"({"system":5,"conversations":[{"from":"gpt","value":"g"}]})") ==
               "\"system\" is not a string");
}

BOOST_AUTO_TEST_CASE(what_is_missing) {
    BOOST_TEST(read("{}") == "\"response\" is missing");
    BOOST_TEST(read(R"({"prompt":"p"})") == "\"response\" is missing");
    BOOST_TEST(read(R"({"response":"r"})") == "\"prompt\" is missing");
    BOOST_TEST(read(R"({"response":"r"})", options()) == ">r");
    BOOST_TEST(read(R"({"output":"r"})") == "\"instruction\" is missing");
    BOOST_TEST(read(R"({"response":5,"prompt":"p"})") == "\"response\" is not a string");
    BOOST_TEST(read(R"({"response":"r","prompt":["p"]})") == "\"prompt\" is not a string");
    BOOST_TEST(read(R"({"messages":[]})") == "\"messages\" has no assistant turn");
    BOOST_TEST(read(R"({"messages":{"role":"assistant"}})") ==
               "\"messages\" is not an array of turns");
    BOOST_TEST(read(R"({"messages":["x"]})") == "\"messages\" is not an array of turns");
    BOOST_TEST(read(R"({"messages":[{"role":"assistant","content":{"a":[1]}}]})") ==
               "\"messages\" is not an array of turns");
    BOOST_TEST(read(R"({"messages":[{"role":1,"content":"x"}]})") ==
               "\"messages\" is not an array of turns");
    BOOST_TEST(read(R"({"instruction":"i","output":"o","history":[["q"]]})") ==
               "\"history\" is not an array of turns");
    BOOST_TEST(read(R"({"instruction":"i","output":"o","input":{}})") ==
               "\"input\" is not a string");
    for (const auto text : {"[]", "[{\"response\":\"r\"}]", "5", "\"x\"", "null", "true", "[1,{}]"})
        BOOST_TEST(read(text) == "not a JSON object", text);
}

// Exporters write null for empty columns: a field that is null is not there.
BOOST_AUTO_TEST_CASE(null_is_absent) {
    BOOST_TEST(read(R"({"response":null,"messages":[{"role":"assistant","content":"a"}]})") ==
               ">a");
    BOOST_TEST(read(R"({"prompt":"p","response":"r","messages":null,"history":null,"tag":null})") ==
               "user:p|>r");
    BOOST_TEST(
        read(R"({"instruction":"i","input":null,"system":null,"history":null,"output":"o"})") ==
        "user:i|>o");
    BOOST_TEST(read(R"({"response":null})") == "\"response\" is missing");
}

BOOST_AUTO_TEST_CASE(fields_that_do_not_serve_may_be_anything) {
    BOOST_TEST(
        read(
            R"({"prompt":"p","response":"r","messages":[5,{"role":[]}],"output":{},"input":[1]})") ==
        "user:p|>r");
    BOOST_TEST(read(R"({"response":"r","prompt":5})", options()) == ">r");
    BOOST_TEST(read(R"({"prompt":"p","response":"r","score":"none","tag":7})") == "user:p|>r");
}

BOOST_AUTO_TEST_CASE(of_duplicates_the_last_counts) {
    BOOST_TEST(read(R"({"prompt":"p","response":"1","response":"2"})") == "user:p|>2");
    BOOST_TEST(read(R"({"prompt":"p","response":[1,{"a":2}],"response":"2"})") == "user:p|>2");
    BOOST_TEST(read(R"({"prompt":"p","response":"1","response":2})") ==
               "\"response\" is not a string");
    BOOST_TEST(read(R"({"prompt":{},"prompt":"p","response":"2"})") == "user:p|>2");
    BOOST_TEST(
        read(R"({"messages":[{"role":5}],"messages":[{"role":"assistant","content":"a"}]})") ==
        ">a");
    BOOST_TEST(read(R"({"messages":"x","messages":[{"role":"assistant","content":"a"}]})") == ">a");
    BOOST_TEST(read(R"({"messages":[{"role":"assistant","content":"a"}],"messages":3})") ==
               "\"messages\" is not an array of turns");
    BOOST_TEST(
        read(R"({"messages":[{"role":1,"role":"assistant","content":[5],"content":"a"}]})") ==
        ">a");
    BOOST_TEST(id(R"({"id":[1],"id":"b","response":""})") == "b");
    BOOST_TEST(id(R"({"id":"a","id":null,"response":""})") == "7");

    record_reader reader(options(record_part::score | record_part::tag, ""));
    pair_record record;
    const padded_line line(
        R"({"score":5,"score":{"end":"x","end":[1,2],"confidence":[2],"confidence":[0.5,1]},
        "tag":{"spans":[1]},"tag":{"spans":5,"spans":[{"kind":1,"kind":"kernel","begin":-1,"begin":1,"end":2}]}})");
    BOOST_TEST(reader.read(line.get(), record).message() == "");
    BOOST_TEST(record.token_end.size() == 2u);
    BOOST_TEST(record.confidence.at(0) == 0.5);
    BOOST_TEST(record.spans.at(0).begin == 1u);
    const padded_line worse(R"({"score":{"end":[1],"confidence":[1]},"score":null})");
    BOOST_TEST(reader.read(worse.get(), record).message().starts_with("\"score\" is missing"));
}

BOOST_AUTO_TEST_CASE(escaped_keys) {
    BOOST_TEST(read(R"({"pro\u006dpt":"p","r\u0065sponse":"r"})") == "user:p|>r");
    BOOST_TEST(spliced(R"({"t\u0061g":1,"x":2})") == "{\"t\\u0061g\":V,\"x\":2}\n");
    BOOST_TEST(spliced(R"({"\ud800":1,"a\\":2})") == "{\"\\ud800\":1,\"a\\\\\":2,\"tag\":V}\n");
}

BOOST_AUTO_TEST_CASE(ids) {
    BOOST_TEST(id(R"({"id":"k\u00e9\"","response":""})") == "k\u00e9\"");
    BOOST_TEST(id(R"({"id":17 ,"response":""})") == "17");
    BOOST_TEST(id(R"({"id":-1.50e+3,"response":""})") == "-1.50e+3");
    BOOST_TEST(id(R"({"id":18446744073709551615,"response":""})") == "18446744073709551615");
    BOOST_TEST(id(R"({"id":123456789012345678901234567890,"response":""})") ==
               "123456789012345678901234567890");
    BOOST_TEST(id(R"({"id":null,"response":""})") == "7");
    BOOST_TEST(id(R"({"response":""})") == "7");
    BOOST_TEST(id(R"({"id":"","response":""})") == "");
    for (const auto bad : {"true", "[1]", "{}", "{\"id\":1}"})
        BOOST_TEST(id(std::string("{\"id\":") + bad + ",\"response\":\"\"}") ==
                   "\"id\" is neither a string nor a number");
}

BOOST_AUTO_TEST_CASE(lone_surrogates_in_the_response) {
    BOOST_TEST(read(R"({"prompt":"p","response":"a\ud800b"})") == "user:p|>a\uFFFDb");
    BOOST_TEST(read(R"({"prompt":"p","response":"\udc00\ud83d\ude00\ud83d"})") ==
               "user:p|>\uFFFD\U0001F600\uFFFD");
    BOOST_TEST(spliced(R"({"x":"\ud800"})") == "{\"x\":\"\\ud800\",\"tag\":V}\n");
}

BOOST_AUTO_TEST_CASE(scores) {
    const auto score = [](std::string_view value) {
        return read(R"({"response":"r","score":)" + std::string(value) + '}',
                    options(record_part::response | record_part::score));
    };
    BOOST_TEST(score(R"({"end":[],"confidence":[]})") == ">r");
    BOOST_TEST(score(R"({"model":"m","end":[0,0,1],"id":[1,"x",{}],"confidence":[0,1,1e-300]})") ==
               ">r");
    BOOST_TEST(score("5") == "\"score\" is not an object");
    BOOST_TEST(score(R"({"end":[1],"confidence":5})") ==
               "\"score.confidence\" is not an array of numbers");
    for (const auto bad :
         {"[-1]", "[1.0]", "[1e0]", "[\"1\"]", "[18446744073709551616]", "[null]", "[[1]]"})
        BOOST_TEST(score(std::string(R"({"confidence":[1],"end":)") + bad + '}') ==
                       "\"score.end\" is not an array of byte offsets",
                   bad);
    for (const auto bad : {"[\"1\"]", "[null]", "[true]", "[1e400]", "[{}]"})
        BOOST_TEST(score(std::string(R"({"end":[1],"confidence":)") + bad + '}') ==
                       "\"score.confidence\" is not an array of numbers",
                   bad);
    for (const auto bad : {"[1.0000001]", "[-1e-9]", "[2]"})
        BOOST_TEST(score(std::string(R"({"end":[1],"confidence":)") + bad + '}') ==
                       "\"score.confidence\" lies outside [0, 1]",
                   bad);
    BOOST_TEST(score(R"({"end":[1],"confidence":[]})").ends_with("differ in length"));
    BOOST_TEST(score(R"({"end":[2,1],"confidence":[1,1]})") == "\"score.end\" falls");
    for (const auto bad : {"[01]", "[1.]", "[.5]", "[+1]", "[NaN]", "[1,]", "[,1]", "[1 2]",
                           "[1\f]", "[1,,2]", "[1e]", "[-]", "[1", "[1}", "[tru]"}) {
        BOOST_TEST(
            score(std::string(R"({"end":[1],"confidence":)") + bad + '}') == "not valid JSON", bad);
        BOOST_TEST(
            score(std::string(R"({"confidence":[1],"end":)") + bad + '}') == "not valid JSON", bad);
        BOOST_TEST(score(std::string(R"({"end":[1],"confidence":[1],"id":)") + bad + '}') ==
                       "not valid JSON",
                   bad);
    }
}

// However a confidence is written, it is the double nearest to it.
BOOST_AUTO_TEST_CASE(numbers_are_rounded_rightly) {
    std::mt19937_64 random(5);
    std::string ends, confidences;
    std::vector<double> wanted;
    for (int i = 0; i < 20000; ++i) {
        std::string text = "0.";
        for (std::size_t n = random() % 25 + 1; n > 0; --n)
            text += static_cast<char>('0' + random() % 10);
        if (random() % 2)
            text += (random() % 2 ? "e-" : "E-0") + std::to_string(random() % 330);
        else if (random() % 4 == 0)
            text += "e+0";
        wanted.push_back(std::strtod(text.c_str(), nullptr));
        const std::string comma = i == 0 ? "" : random() % 10 ? "," : " ,\t";
        ends += comma + "7";
        confidences += comma + text;
    }
    record_reader reader(options(record_part::score));
    pair_record record;
    const padded_line line("{\"score\":{\"end\":[ " + ends + "],\"confidence\":[" + confidences +
                           " ]}}");
    BOOST_TEST(reader.read(line.get(), record).message() == "");
    BOOST_TEST((record.confidence == wanted));
    const padded_line large(
        R"({"score":{"end":[0,9999999999999999999,18446744073709551615],"confidence":[1,1e0,10e-1]}})");
    BOOST_TEST(reader.read(large.get(), record).message() == "");
    BOOST_TEST(record.token_end.at(1) == 9999999999999999999u);
    BOOST_TEST(record.token_end.at(2) == 18446744073709551615u);
    BOOST_TEST(record.confidence.at(2) == 1);
}

BOOST_AUTO_TEST_CASE(spans) {
    const auto tag = [](std::string_view value) {
        record_reader reader(options(record_part::tag, "window"));
        pair_record record;
        const padded_line line(R"({"tag":)" + std::string(value) + '}');
        const status s = reader.read(line.get(), record);
        if (!s) return std::string("refused");
        std::string out = record.has_tag ? "tag" : "none";
        for (const auto& span : record.spans)
            out += ' ' + span.kind + ' ' + span.name + ' ' + std::to_string(span.begin) + '-' +
                   std::to_string(span.end);
        return out;
    };
    BOOST_TEST(
        tag(R"({"spans":[{"kind":"kernel","name":"bn","begin":1,"end":9,"x":[]}],"lang":"cuda"})") ==
        "tag kernel bn 1-9");
    BOOST_TEST(tag(R"({"spans":[]})") == "tag");
    BOOST_TEST(tag(R"({"lang":"cuda"})") == "none");
    BOOST_TEST(tag("null") == "none");
    for (const auto bad :
         {"5", "[]", R"({"spans":{}})", R"({"spans":[5]})", R"({"spans":[{}]})",
          R"({"spans":[{"kind":"k","begin":2,"end":1}]})", R"({"spans":[{"kind":"k","begin":2}]})",
          R"({"spans":[{"kind":"k","begin":-2,"end":1}]})",
          R"({"spans":[{"kind":7,"begin":2,"end":3}]})",
          R"({"spans":[{"kind":"k","name":[],"begin":2,"end":3}]})"})
        BOOST_TEST(tag(bad) == "refused", bad);
}

// Every one of these is broken somewhere, also where no tool looks.
BOOST_AUTO_TEST_CASE(broken_json) {
    const std::string good = R"("prompt":"p","response":"r")";
    for (const std::string bad : {"01",
                                  "1.",
                                  ".5",
                                  "+1",
                                  "NaN",
                                  "Infinity",
                                  "-",
                                  "tru",
                                  "nul",
                                  "truex",
                                  "'x'",
                                  "1\"a\"",
                                  "\"a\"b",
                                  "\"a\" \"b\"",
                                  "[1,]",
                                  "[,]",
                                  "[1 2]",
                                  "{\"a\":1,}",
                                  "{\"a\"}",
                                  "{\"a\" 1}",
                                  "{a:1}",
                                  "{1:2}",
                                  "{,}",
                                  "[1}",
                                  "{\"a\":1]",
                                  "\"\\x\"",
                                  "\"\\u12g4\"",
                                  "\"\\ud800\\u\"",
                                  "{\"\\x\":1}",
                                  "{\"\\u12\":1}",
                                  "\"a\nb\"",
                                  "\"a\tb\"",
                                  "[[[[{\"x\":[01]}]]]]",
                                  "[[[[{\"x\":[\"\\q\"]}]]]]",
                                  "{\"a\":{\"b\":{}}",
                                  "1:2",
                                  "\"a\":1",
                                  "[\"a\":1]",
                                  ",",
                                  ":",
                                  "",
                                  "1\f",
                                  "\f",
                                  "\v1",
                                  "1e5x",
                                  "0x10",
                                  "[1]]",
                                  "{}}",
                                  "-01",
                                  "--1",
                                  "1e+",
                                  "/*c*/1",
                                  "//",
                                  "\\",
                                  "\"\\",
                                  "\"",
                                  "[\"]"}) {
        BOOST_TEST(is_broken("{" + good + ",\"x\":" + bad + "}"), bad);
        BOOST_TEST(is_broken("{\"x\":" + bad + "," + good + "}"), bad);
        BOOST_TEST(is_broken("{" + good + ",\"x\":[0," + bad + "]}"), bad);
        BOOST_TEST(is_broken("{" + good + ",\"tag\":" + bad + "}"), bad);
        BOOST_TEST(is_broken("{" + good + ",\"messages\":[{\"role\":" + bad + "}]}"), bad);
    }
    for (const std::string& bad :
         {"{" + good, "{" + good + "}}", "{" + good + "} x", "{" + good + "}{}", "{" + good + "},",
          "{" + good + "} {" + good + "}", "{" + good + ",}", "{," + good + "}",
          "{" + good + ",,\"x\":1}", "{" + good + " \"x\":1}", "{" + good + "]", "{" + good + "}\f",
          std::string("{}\0", 3), std::string("{"), std::string("{\""), std::string("{\"a"),
          std::string("{\"a\":"), std::string("{}]"), std::string("{},{}")})
        BOOST_TEST(is_broken(bad), bad);
    // Every strict prefix of a record is broken.
    const std::string whole =
        "{" + good + R"(,"x":[1.5e3,{"a":null,"\u00e9":"\ud83d\ude00"}],"tag":{}})";
    BOOST_TEST(read(whole) == "user:p|>r");
    for (std::size_t n = 1; n < whole.size(); ++n)
        BOOST_TEST(read(whole.substr(0, n)) != "user:p|>r", n);
}

BOOST_AUTO_TEST_CASE(bytes_that_are_not_utf8) {
    for (const std::string bad :
         {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80"})
        for (const std::string& line :
             {"{\"prompt\":\"p\",\"response\":\"r\",\"x\":\"" + bad + "\"}",
              "{\"prompt\":\"p\",\"response\":\"" + bad + "\"}",
              "{\"prompt\":\"p\",\"response\":\"r\",\"" + bad + "\":1}",
              "{\"prompt\":\"p\",\"response\":\"r\"}" + bad})
            BOOST_TEST(read(line) == "invalid UTF-8", line);
}

BOOST_AUTO_TEST_CASE(deep_nesting) {
    const auto nested = [](std::size_t depth, bool closed) {
        std::string text = R"({"prompt":"p","response":"r","x":)" + std::string(depth, '[');
        if (closed) text += std::string(depth, ']') + '}';
        return read(text);
    };
    BOOST_TEST(nested(990, true) == "user:p|>r");
    BOOST_TEST(nested(1'000'000, true) == "nested more than 1000 deep");
    BOOST_TEST(nested(1'000'000, false) != "user:p|>r");
    std::string objects = R"({"prompt":"p","response":"r")";
    for (int i = 0; i < 100'000; ++i) objects += ",\"x\":{\"y\":[";
    BOOST_TEST(read(objects) != "user:p|>r");
}

BOOST_AUTO_TEST_CASE(own_key) {
    BOOST_TEST(spliced("{}") == "{\"tag\":V}\n");
    BOOST_TEST(spliced("{ }") == "{ \"tag\":V}\n");
    BOOST_TEST(spliced("  {\"a\":1 } \t") == "  {\"a\":1 ,\"tag\":V} \t\n");
    BOOST_TEST(spliced("{\"a\":1}\r") == "{\"a\":1,\"tag\":V}\r\n");
    for (const auto old : {"1", "\"x\"", "null", "true", "[1, [2] ]", "{\"a\": {\"tag\":1} }", "[]",
                           "{}", "\"a\\\"}\"", "12345678901234567890123", "\"\\ud800\""}) {
        BOOST_TEST(spliced(std::string("{\"tag\":") + old + "}") == "{\"tag\":V}\n", old);
        BOOST_TEST(spliced(std::string("{ \"tag\" : ") + old + " , \"b\" : 1 }") ==
                       "{ \"tag\" : V , \"b\" : 1 }\n",
                   old);
        BOOST_TEST(spliced(std::string("{\"a\":1,\"tag\": \t") + old + " \t}") ==
                       "{\"a\":1,\"tag\": \tV \t}\n",
                   old);
    }
    // A key of that name deeper down, or in a string, is another's.
    BOOST_TEST(spliced(R"({"x":{"tag":1},"y":"\"tag\":2","z":["tag"]})") ==
               "{\"x\":{\"tag\":1},\"y\":\"\\\"tag\\\":2\",\"z\":[\"tag\"],\"tag\":V}\n");
    BOOST_TEST(spliced(R"({"tag":1,"tag":2})") == "{\"tag\":1,\"tag\":V}\n");
    BOOST_TEST(spliced(R"({"tagg":1,"ta":2,"TAG":3})") ==
               "{\"tagg\":1,\"ta\":2,\"TAG\":3,\"tag\":V}\n");
}

BOOST_AUTO_TEST_CASE(hash_of_ids) {
    // The FNV authors' own test vectors.
    BOOST_TEST(fnv1a_64("") == 0xcbf29ce484222325u);
    BOOST_TEST(fnv1a_64("a") == 0xaf63dc4c8601ec8cu);
    BOOST_TEST(fnv1a_64("foobar") == 0x85944171f73967e8u);
    BOOST_TEST(fnv1a_64("\xff\x00\x00\x01") != fnv1a_64(""));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(windows_of_records) {
    const auto window = [](std::string_view value) {
        record_reader reader(options(record_part::window, ""));
        pair_record record;
        const padded_line line(R"({"window":)" + std::string(value) + '}');
        const status s = reader.read(line.get(), record);
        if (!s) return s.message();
        if (!record.has_window) return std::string("none");
        return std::to_string(record.window.first) + '-' + std::to_string(record.window.last) +
               ' ' + std::to_string(record.window.min);
    };
    BOOST_TEST(window(R"({"size":256,"min":0.25,"weight":0.75,"token":[3,9],"begin":1,"end":2})") ==
               "3-9 0.250000");
    BOOST_TEST(window(R"({"token":[3,9],"min":5,"min":0,"token":[0,0]})") == "0-0 0.000000");
    BOOST_TEST(window("null") == "none");
    for (const char* bad : {"7", "{}", R"({"min":1})", R"({"token":[1,2]})",
                            R"({"token":[2,1],"min":1})", R"({"token":[1],"min":1})",
                            R"({"token":[1,2],"min":"1"})", R"({"token":[-1,2],"min":1})"})
        BOOST_TEST(window(bad) ==
                   "\"window\" is not an object with a range of tokens and their mean (min)");
    BOOST_TEST(window(R"({"token":[1,2],"min":})") == "not valid JSON");
}
