// JSON arrays as streams of records, and files that hold no records.
#include <boost/test/unit_test.hpp>
#include <string>

#include "cuset/stream/line_reader.h"
#include "files_and_lines.h"

using namespace cuset;
using namespace cuset::test;

namespace {

// "number@line:text;" of every element, and "!" with the message for an error. A number without a
// line is a line of JSON Lines.
std::string elements_of(std::string_view bytes, std::size_t batch_bytes = 1 << 18,
                        std::size_t longest = any_length) {
    const temporary_folder folder;
    write_file(folder / "x", bytes);
    std::vector<input> inputs;
    inputs.push_back(input::open(folder / "x").value());
    line_reader reader(std::move(inputs), batch_bytes, longest);
    line_batch batch;
    std::string out;
    for (;;) {
        const auto more = reader.next(batch);
        if (!more) {
            BOOST_TEST((more.error().kind() == error_kind::data));
            BOOST_TEST(!reader.next(batch).is_ok());
            BOOST_TEST(more.error().message().starts_with(folder / "x:"));
            return out + '!' + more.error().message().substr((folder / "x:").size());
        }
        if (!more.value()) return out;
        for (const line& l : batch.lines) {
            out += std::to_string(l.number);
            if (l.begins_in_line > 0) out += '@' + std::to_string(l.begins_in_line);
            out += ':' + std::string(l.text) + ';';
            volatile char sum = 0;  // the padding must be readable
            for (std::size_t i = 0; i < line_padding; ++i)
                sum = static_cast<char>(sum + l.text.data()[l.text.size() + i]);
        }
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(json_arrays)

BOOST_AUTO_TEST_CASE(what_counts_as_an_element) {
    BOOST_TEST(elements_of("[]") == "");
    BOOST_TEST(elements_of(" \n[ \n ] \n\n") == "");
    BOOST_TEST(elements_of("[{}]") == "1@1:{};");
    BOOST_TEST(elements_of("\n\n [\n{},{\"a\":1}\n\n,\n{} ]\n") == "1@4:{};2@4:{\"a\":1};3@7:{};");
    BOOST_TEST(elements_of("\xEF\xBB\xBF[{}]") == "1@1:{};");
    BOOST_TEST(elements_of("\xEF\xBB\xBF\n [{}]") == "1@2:{};");
    // The reader of the record says what these are.
    BOOST_TEST(elements_of("[1,-2.5e3 , null,\"a,]\",[{},[]],{}]") ==
               "1@1:1;2@1:-2.5e3;3@1:null;4@1:\"a,]\";5@1:[{},[]];6@1:{};");
    BOOST_TEST(elements_of("[}]") == "1@1:};");
}

// On one line every byte stays; over several lines only the breaks and what indents the next line
// go, and never a blank between two tokens.
BOOST_AUTO_TEST_CASE(bytes_of_an_element) {
    BOOST_TEST(elements_of("[ { \"a\" :\t1 , \"b\":[ 1,2 ]} ]") ==
               "1@1:{ \"a\" :\t1 , \"b\":[ 1,2 ]};");
    BOOST_TEST(elements_of("[\n  {\n    \"a\": 1,\r\n\t\"b\": [\n1\n2\n]\n  }\n]") ==
               "1@2:{ \"a\": 1, \"b\": [ 1 2 ] };");
    BOOST_TEST(elements_of(R"([{"a":"}]\"\\","b":"\\\"[{,"},{"\\":"\u005d"}])") ==
               R"(1@1:{"a":"}]\"\\","b":"\\\"[{,"};2@1:{"\\":"\u005d"};)");
    for (std::size_t n = 0; n < 40; ++n) {
        const std::string text = "{\"" + std::string(n, 'x') + "\\\\\\\"" + std::string(n, '\x80') +
                                 "\":\"\x01\x7f\xff\"}";
        BOOST_TEST(elements_of('[' + text + ',' + text + ']') ==
                   "1@1:" + text + ";2@1:" + text + ";");
    }
}

BOOST_AUTO_TEST_CASE(what_is_broken_between_elements) {
    BOOST_TEST(elements_of("[{},\n{}") ==
               "1@1:{};!2: truncated JSON array: no closing bracket behind element 2");
    BOOST_TEST(elements_of("[") == "!1: truncated JSON array: no closing bracket");
    BOOST_TEST(elements_of("[{},\n") ==
               "1@1:{};!2: truncated JSON array: no closing bracket behind element 1");
    BOOST_TEST(elements_of("[{},\n{\n\n\"a\":[1,2]") ==
               "1@1:{};!2: truncated JSON array: element 2 does not end");
    BOOST_TEST(elements_of("[{},\n12") ==
               "1@1:{};!2: truncated JSON array: element 2 does not end");
    BOOST_TEST(elements_of("[{\"a") == "!1: truncated JSON array: element 1 does not end");
    BOOST_TEST(elements_of("[{}]\n{}\n") == "1@1:{};!2: text behind the end of the JSON array");
    BOOST_TEST(elements_of("[{}]]") == "1@1:{};!1: text behind the end of the JSON array");
    BOOST_TEST(elements_of("[{}\n{}]") == "!2: no comma between element 1 and what follows it");
    BOOST_TEST(elements_of("[{},\n]") ==
               "1@1:{};!2: an element is missing behind the comma that follows element 1");
    BOOST_TEST(elements_of("[{},,{}]") ==
               "1@1:{};!1: an element is missing behind the comma that follows element 1");
    BOOST_TEST(elements_of("[,{}]") == "!1: an element is missing behind the array's bracket");
    for (const std::string escape : {"", "\\"})
        BOOST_TEST(elements_of("[{},{\n\"a\":\"b" + escape + "\n\"}]") ==
                   "1@1:{};!2: element 2: a string does not end before its line does");
}

BOOST_AUTO_TEST_CASE(batches_of_every_size_in_an_array) {
    const std::string text =
        " \n[\n {\"a\": \"\\\"]\", \"b\":\n  [1, 2]}, 17 ,\r\n{\"longer\": \"" +
        std::string(50, 'y') + "\\\\\"}\n]\n";
    const std::string wanted = "1@3:{\"a\": \"\\\"]\", \"b\": [1, 2]};2@4:17;3@5:{\"longer\": \"" +
                               std::string(50, 'y') + "\\\\\"};";
    for (std::size_t batch = 1; batch < 2 * text.size(); ++batch) {
        BOOST_TEST(elements_of(text, batch) == wanted, batch);
        BOOST_TEST(
            elements_of(text + "x", batch) == wanted + "!7: text behind the end of the JSON array",
            batch);
    }
}

BOOST_AUTO_TEST_CASE(an_element_that_is_too_long) {
    const std::string text = "[{},\n\n{\"a\":\n\n   12345}]";
    for (std::size_t batch = 1; batch < 2 * text.size(); ++batch) {
        // The line breaks do not count.
        BOOST_TEST(elements_of(text, batch, 12) == "1@1:{};2@3:{\"a\": 12345};", batch);
        BOOST_TEST(
            elements_of(text, batch, 11) == "1@1:{};!3: element 2: it is longer than 11 bytes",
            batch);
    }
}

BOOST_AUTO_TEST_CASE(each_input_has_its_own_form) {
    const temporary_folder folder;
    write_file(folder / "a", "[{},{}]");
    write_file(folder / "b", "{}\n");
    std::vector<input> inputs;
    for (const char* name : {"a", "b", "a"}) inputs.push_back(input::open(folder / name).value());
    line_reader reader(std::move(inputs));
    line_batch batch;
    std::string out;
    while (reader.next(batch).value())
        for (const line& l : batch.lines)
            out += std::to_string(batch.source) + std::to_string(l.number) +
                   (l.begins_in_line > 0 ? "a " : "l ");
    BOOST_TEST(out == "01a 02a 11l 21a 22a ");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(files_of_other_kinds)

BOOST_AUTO_TEST_CASE(are_refused_by_name) {
    using namespace std::string_literals;
    const auto told = [](const std::string& bytes) {
        const std::string said = elements_of(bytes), one_by_one = elements_of(bytes, 1);
        BOOST_TEST(said == one_by_one);
        return said.substr(0, said.rfind(": "));
    };
    BOOST_TEST(told("prompt,response\nhello,\"a, b\"\n") == "! a CSV file");
    BOOST_TEST(told("\xEF\xBB\xBF\"prompt\",\"the response\"\r\n\"a\",\"{}\"\r\n") ==
               "! a CSV file");
    BOOST_TEST(told("id,a,b") == "! a CSV file");
    BOOST_TEST(told("a;b\n1;2\n") == "! a CSV file");
    BOOST_TEST(told("prompt\tresponse\nx\ty\n") == "! a TSV file");
    BOOST_TEST(told("BZh91AY&SY") == "! a bzip2 file");
    BOOST_TEST(told("\xFD\x37zXZ\0\0\4"s) == "! an xz file");
    BOOST_TEST(told("\x04\x22\x4D\x18\x64\x40\xa7") == "! an lz4 file");
    BOOST_TEST(told("PK\3\4\x14\0"s) == "! a zip archive (as PyTorch and Excel write, too)");
    BOOST_TEST(told("a.txt"s + std::string(252, '\0') + "ustar  ") == "! a tar archive");
    BOOST_TEST(told("\x80\4\x95\x0b\0\0\0"s) == "! a Python pickle");
    BOOST_TEST(told(" \1\0\0\0\0\0\0{\"a\":1}"s) == "! a safetensors file");
    BOOST_TEST(told("SQLite format 3\0"s) == "! an SQLite database");
    BOOST_TEST(told("\n<!DOCTYPE html>\n<html>") == "! an HTML or XML file");
    BOOST_TEST(told("\xff\xfe{\0}\0"s) == "! UTF-16 text");
    BOOST_TEST(told("{\0\"\0"s) == "! UTF-16 text without a mark");
    BOOST_TEST(told("\0[\0{"s) == "! UTF-16 text without a mark");
    BOOST_TEST(told("version https://git-lfs.github.com/spec/v1\noid sha256:4d7\n") ==
               "! a pointer of Git LFS");
}

// Lines that are no records are bad records, which --on-error=skip can set aside.
BOOST_AUTO_TEST_CASE(but_bad_lines_are_lines) {
    BOOST_TEST(elements_of("broken\n{}\n") == "1:broken;2:{};");
    BOOST_TEST(elements_of("Loading model, please wait\n{}\n") ==
               "1:Loading model, please wait;2:{};");
    BOOST_TEST(elements_of("1,2\n3,4\n") == "1:1,2;2:3,4;");
    BOOST_TEST(elements_of("hello, world!\n") == "1:hello, world!;");
    BOOST_TEST(elements_of("a,,b\n") == "1:a,,b;");
    BOOST_TEST(elements_of("P\n") == "1:P;");
    BOOST_TEST(elements_of(std::string(10000, 'a') + ",b\n") ==
               "1:" + std::string(10000, 'a') + ",b;");
}

BOOST_AUTO_TEST_SUITE_END()
