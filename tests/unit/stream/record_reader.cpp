#include <boost/test/unit_test.hpp>

#include "cuset/stream/json_text.h"
#include "cuset/stream/pair_record.h"
#include "record_text.h"

using namespace cuset;
using namespace cuset::test;

BOOST_AUTO_TEST_SUITE(records)

BOOST_AUTO_TEST_CASE(forms) {
    BOOST_TEST(read(R"({"prompt":"p","response":"r"})") == "user:p|>r");
    BOOST_TEST(read(R"({"response":"r","prompt":"p"})") == "user:p|>r");
    BOOST_TEST(read(R"({"messages":[{"role":"system","content":"s"},{"role":"user","content":"u"},
        {"role":"assistant","content":"a"}]})") == "system:s|user:u|>a");
    // The last assistant turn is the response; turns after it are left out.
    BOOST_TEST(
        read(R"({"messages":[{"role":"user","content":"u"},{"role":"assistant","content":"a"},
        {"role":"user","content":"v"},{"role":"assistant","content":"b"},{"role":"user","content":"w"}]})") ==
        "user:u|assistant:a|user:v|>b");
    BOOST_TEST(read(R"({"messages":[{"role":"user","content":[{"type":"text","text":"x"},
        {"text":"y"}],"tool_calls":[]},
        {"role":"assistant","content":null},{"role":"assistant","content":[{"text":"z"}]}]})") ==
               "user:xy|assistant:|>z");
    // What would be missing from the conversation is named.
    BOOST_TEST(read(R"({"messages":[{"role":"user","content":[{"type":"text","text":"x"},
        {"type":"image_url","image_url":{"url":"u"}},{"text":"y"}]},
        {"role":"assistant","content":"a"}]})") ==
               "\"messages\" has a part of the type \"image_url\", which is not read");
    BOOST_TEST(read(R"({"messages":[{"role":"user","content":"u"},{"role":"assistant",
        "content":"a","tool_calls":[{"function":{"name":"f"}}]},
        {"role":"user","content":"v"},{"role":"assistant","content":"b"}]})") ==
               "\"messages\" has a turn with \"tool_calls\", which is not read");
    for (const char* members :
         {R"("tool_calls":[{}],"function_call":null)", R"("function_call":null,"tool_calls":[{}])"})
        BOOST_TEST(read(R"({"messages":[{"role":"user","content":"u"},{"role":"assistant",
        "content":"a",)" +
                        std::string(members) + "}]}") ==
                   "\"messages\" has a turn with \"tool_calls\", which is not read");
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
               "\"level3_prompt\" is missing; there are \"level1_prompt\", \"bench.cu\" "
               "(--prompt-field names another)");
    o.prompt_field = "instruction";
    BOOST_TEST(read(R"({"instruction":"i","input":"x","output":"o"})", o) == "user:i|>o");
    // If an option names the prompt's field, a conversation does not supply it.
    BOOST_TEST(read(R"({"instruction":"i","messages":[{"role":"assistant","content":"a"}]})", o) ==
               "\"response\" is missing; there are \"instruction\", \"messages\" "
               "(--response-field names another)");
    BOOST_TEST(read(R"({"instruction":"i","conversations":[{"from":"gpt","value":"a"}]})", o) ==
               "\"response\" is missing; there are \"instruction\", \"conversations\" "
               "(--response-field names another)");
    o = options(both);
    o.response_field = "code";
    BOOST_TEST(read(R"({"prompt":"p","code":"c","response":"r"})", o) == "user:p|>c");
    BOOST_TEST(read(R"({"prompt":"p","response":"r"})", o) ==
               "\"code\" is missing; there are \"prompt\", \"response\" "
               "(--response-field names another)");
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
    // It stands beside every form of a prompt, but not beside a field that is named as one.
    BOOST_TEST(read(R"({"system":"s","prompt":"p","response":"r"})") == "system:s|user:p|>r");
    BOOST_TEST(
        read(
            R"({"messages":[{"role":"user","content":"u"},{"role":"assistant","content":"a"}],"system":"s"})") ==
        "system:s|user:u|>a");
    BOOST_TEST(
        read(
            R"({"system":"s","messages":[{"role":"system","content":"t"},{"role":"user","content":"u"},{"role":"assistant","content":"a"}]})") ==
        "system:t|user:u|>a");
    BOOST_TEST(read(R"({"system":"","prompt":"p","response":"r"})") == "user:p|>r");
    BOOST_TEST(read(R"({"system":["s"],"prompt":"p","response":"r"})") ==
               "\"system\" is not a string");
    BOOST_TEST(read(R"({"system":["s"],"response":"r"})", options()) == ">r");
    auto named = options(both);
    named.prompt_field = "prompt";
    BOOST_TEST(read(R"({"system":["s"],"prompt":"p","response":"r"})", named) == "user:p|>r");
}

BOOST_AUTO_TEST_CASE(what_is_missing) {
    BOOST_TEST(read("{}") == "\"response\" is missing");
    BOOST_TEST(read(R"({"prompt":"p"})") ==
               "\"response\" is missing; there is \"prompt\" (--response-field names another)");
    BOOST_TEST(read(R"({"response":"r"})") ==
               "\"prompt\" is missing; there is \"response\" (--prompt-field names another)");
    BOOST_TEST(read(R"({"a":1,"b":2,"a":3,"c":4,"d":5,"e":6,"f":7,"g":8,"h":9,"i":0})") ==
               "\"response\" is missing; there are \"a\", \"b\", \"c\", \"d\", \"e\", "
               "\"f\", \"g\", \"h\" and 1 more (--response-field names another)");
    BOOST_TEST(read(R"({"\u0041)" + std::string(50, 'x') + R"(":1})") ==
               "\"response\" is missing; there is \"A" + std::string(39, 'x') +
                   "…\" (--response-field names another)");
    BOOST_TEST(read(R"({"response":"r"})", options()) == ">r");
    BOOST_TEST(read(R"({"output":"r"})") == "\"instruction\" is missing; there is \"output\"");
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

// Exporters write null for empty columns, so a null field counts as absent.
BOOST_AUTO_TEST_CASE(null_is_absent) {
    BOOST_TEST(read(R"({"response":null,"messages":[{"role":"assistant","content":"a"}]})") ==
               ">a");
    BOOST_TEST(read(R"({"prompt":"p","response":"r","messages":null,"history":null,"tag":null})") ==
               "user:p|>r");
    BOOST_TEST(
        read(R"({"instruction":"i","input":null,"system":null,"history":null,"output":"o"})") ==
        "user:i|>o");
    BOOST_TEST(read(R"({"response":null})").starts_with("\"response\" is missing"));
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
    // KernelBench counts its problems in each level.
    BOOST_TEST(id(R"({"code":"","level":1,"problem_id":23,"response":""})") == "1/23");
    BOOST_TEST(id(R"({"code":"","problem_id":23,"response":""})") == "23");
    BOOST_TEST(id(R"({"code":"","level":1,"problem_id":23,"id":4,"response":""})") == "4");
    BOOST_TEST(id(R"({"code":"","level":1,"problem_id":23,"task_id":"t","response":""})") == "t");
    BOOST_TEST(id(R"({"level":1,"problem_id":23,"response":""})") == "7");
    BOOST_TEST(id(R"({"code":"","level":1,"problem_id":null,"response":""})") == "7");
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
    // A key of that name in an inner object, or in a string, is a different key.
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
