#include "stream_form.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "decoder.h"
#include "tables.h"

namespace cuset {
namespace {

using namespace std::string_view_literals;
using kind = stream_form::kind;

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view what_is_read =
    "cuset reads JSON Lines and JSON arrays, plain or compressed by zstd or gzip";
constexpr std::string_view how_to_convert =
    "cuset reads JSON, which to_json() of Hugging Face's datasets writes";

struct foreign_file {
    std::string_view magic, name;
    std::string_view advice = what_is_read;
};
constexpr foreign_file foreign_files[] = {
    {"BZh", "a bzip2 file", "pipe it through bzcat"},
    {"\xFD\x37zXZ\0"sv, "an xz file", "pipe it through xzcat"},
    {"\x04\x22\x4D\x18", "an lz4 file", "pipe it through lz4 -dc"},
    {"PK\x03\x04", "a zip archive (as PyTorch and Excel write, too)"},
    {"PK\x05\x06", "a zip archive without members"},
    {"7z\xBC\xAF\x27\x1C", "a 7z archive"},
    {"Rar!\x1A\x07", "a RAR archive"},
    {"SQLite format 3\0"sv, "an SQLite database"},
    {"\x89HDF", "an HDF5 file"},
    {"\x93NUMPY", "a NumPy array"},
    {"GGUF", "a GGUF model"},
    {"Obj\x01", "an Avro file"},
    {"\x7F"
     "ELF",
     "a program"},
    {"%PDF-", "a PDF file"},
    {"\xFF\xFE", "UTF-16 text", "iconv -f UTF-16 -t UTF-8 converts it"},
    {"\xFE\xFF", "UTF-16 text", "iconv -f UTF-16 -t UTF-8 converts it"},
    {"version https://git-lfs.github.com/", "a pointer of Git LFS",
     "the file itself is not here; git lfs pull fetches it"},
};

constexpr std::size_t tar_magic_at = 257;
constexpr std::size_t most_magic = tar_magic_at + 5;

std::string complaint(std::string_view name, std::string_view advice = what_is_read) {
    return std::string(name) + ": " + std::string(advice);
}

// A header of 8 bytes for its length and then JSON, whose length is no text.
bool is_safetensors(std::string_view bytes) {
    return bytes.size() > 8 && bytes.substr(4, 4) == "\0\0\0\0"sv && bytes[8] == '{';
}

std::optional<std::string> binary_file(std::string_view bytes) {
    // A table that is a file of its own does not come here.
    if (const auto form = table_form_of(bytes))
        return complaint(std::string("compressed, ") + std::string(name_of(*form)),
                         "decompress it into a file of its own");
    for (const foreign_file& file : foreign_files)
        if (bytes.starts_with(file.magic)) return complaint(file.name, file.advice);
    if (starts_zstd(bytes) || starts_gzip(bytes)) return complaint("compressed twice");
    if (bytes.size() > tar_magic_at && bytes.substr(tar_magic_at).starts_with("ustar"))
        return complaint("a tar archive");
    if (is_safetensors(bytes)) return complaint("a safetensors file");
    for (const std::string_view start : {"{\0"sv, "[\0"sv, "\0{"sv, "\0["sv})
        if (bytes.starts_with(start))
            return complaint("UTF-16 text without a mark",
                             "iconv -f UTF-16LE -t UTF-8, or UTF-16BE, converts it");
    if (bytes.size() > 1 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5)
        return complaint("a Python pickle");
    return {};
}

// A name as in the first line of a table.
bool is_column_name(std::string_view field) {
    if (const auto last = field.find_last_not_of(" \r"); last != field.npos)
        field = field.substr(field.find_first_not_of(' '), last + 1 - field.find_first_not_of(' '));
    if (field.size() > 2 && field.front() == '"' && field.back() == '"')
        field = field.substr(1, field.size() - 2);
    const auto is_name_byte = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || "_-. "sv.find(c) != "_-. "sv.npos;
    };
    constexpr std::size_t longest = 64;
    return !field.empty() && field.size() <= longest &&
           !std::isdigit(static_cast<unsigned char>(field[0])) &&
           std::ranges::all_of(field, is_name_byte);
}

bool is_table_header(std::string_view line, char separator) {
    std::size_t count = 0;
    for (std::size_t begin = 0; begin <= line.size(); ++count) {
        const std::size_t end = std::min(line.find(separator, begin), line.size());
        if (!is_column_name(line.substr(begin, end - begin))) return false;
        begin = end + 1;
    }
    return count > 1;
}

// A table has a line of names, and no record follows it: one line of a program's messages in front
// of records is a bad line, no table. `text` begins with the first byte that is not blank.
stream_form table_or_lines(std::string_view text, bool is_all) {
    is_all = is_all || text.size() >= longest_beginning;
    text = text.substr(0, longest_beginning);
    const std::size_t end = text.find('\n');
    if (end == text.npos && !is_all) return {};
    const std::string_view header = text.substr(0, end);
    for (const auto& [separator, name] :
         {std::pair{',', "a CSV file"}, {'\t', "a TSV file"}, {';', "a CSV file"}}) {
        if (!is_table_header(header, separator)) continue;
        const std::size_t next = end == text.npos ? end : text.find_first_not_of(blanks, end);
        if (next == text.npos && !is_all) return {};
        if (next == text.npos || text[next] != '{')
            return {kind::foreign, 0, complaint(name, how_to_convert)};
    }
    return {kind::lines, 0, {}};
}

// "[INFO] ..." in front of records is a bad line, no array.
stream_form array_or_lines(std::string_view bytes, std::size_t begin, bool is_all) {
    const stream_form array{kind::array, begin, {}};
    const std::size_t element = bytes.find_first_not_of(blanks, begin + 1);
    is_all = is_all || bytes.size() >= longest_beginning;
    if (element == bytes.npos) return is_all ? array : stream_form{};
    if (!std::isalpha(static_cast<unsigned char>(bytes[element]))) return array;
    const std::string_view word = bytes.substr(element);
    for (const std::string_view literal : {"true", "false", "null"}) {
        if (word.starts_with(literal)) return array;
        if (!is_all && literal.starts_with(word)) return {};
    }
    return {kind::lines, 0, {}};
}

bool is_markup(std::string_view text) { return text.starts_with('<'); }

}  // namespace

stream_form form_of(std::string_view bytes, bool is_start, bool is_all) {
    const std::size_t mark =
        is_start && bytes.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
    if (is_start && !is_all && byte_order_mark.starts_with(bytes)) return {};
    const std::size_t begin = bytes.find_first_not_of(blanks, mark);
    const char first = begin == bytes.npos ? ' ' : bytes[begin];
    if (is_start && mark == 0) {
        if (!is_all && bytes.size() == 1) return {};  // the second tells UTF-16
        if (auto found = binary_file(bytes)) return {kind::foreign, 0, *std::move(found)};
        // No record has such a first byte, and none waits for the bytes behind it.
        const bool may_be_binary = begin == 0 && first != '{' && first != '[';
        if (may_be_binary && !is_all && bytes.size() < most_magic && bytes.find('\n') == bytes.npos)
            return {};
    }
    if (begin == bytes.npos) {
        // An endless line of blanks is not looked through again and again.
        const bool is_long = bytes.size() >= longest_beginning && bytes.find('\n') == bytes.npos;
        return {is_long ? kind::lines : kind::blank, 0, {}};
    }
    if (first == '[') return array_or_lines(bytes, begin, is_all);
    if (first == '{') return {kind::lines, 0, {}};
    if (is_markup(bytes.substr(begin))) return {kind::foreign, 0, complaint("an HTML or XML file")};
    return table_or_lines(bytes.substr(begin), is_all);
}

}  // namespace cuset
