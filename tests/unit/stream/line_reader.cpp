#include "cuset/stream/line_reader.h"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <thread>

#include "cuset/stream/output.h"
#include "files_and_lines.h"

using namespace cuset;
using namespace cuset::test;

namespace {

// "source:number:text;" of every line, and "!" for an error.
std::string lines(const std::vector<std::string>& paths, std::size_t batch_bytes,
                  std::size_t longest = any_length) {
    std::vector<input> inputs;
    for (const auto& path : paths) {
        auto in = input::open(path);
        if (!in) return in.error().message();
        inputs.push_back(std::move(in).value());
    }
    line_reader reader(std::move(inputs), batch_bytes, longest);
    line_batch batch;
    std::string out;
    for (;;) {
        const auto more = reader.next(batch);
        if (!more) {
            // Nothing more comes after an error, even if asked again.
            BOOST_TEST(!reader.next(batch).is_ok());
            return out + '!' + more.error().message().substr(more.error().message().rfind(':'));
        }
        if (!more.value()) return out;
        for (const line& l : batch.lines) {
            out += std::to_string(batch.source) + ':' + std::to_string(l.number) + ':' +
                   std::string(l.text) + ';';
            // The padding must be readable: AddressSanitizer would report a read outside.
            volatile char sum = 0;
            for (std::size_t i = 0; i < line_padding; ++i)
                sum = static_cast<char>(sum + l.text.data()[l.text.size() + i]);
        }
    }
}

std::string lines_of(std::string_view bytes, std::size_t batch_bytes = 1 << 18) {
    const temporary_folder folder;
    write_file(folder / "x", bytes);
    return lines({folder / "x"}, batch_bytes);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(line_readers)

BOOST_AUTO_TEST_CASE(what_counts_as_a_line) {
    BOOST_TEST(lines_of("") == "");
    BOOST_TEST(lines_of("\n") == "");
    BOOST_TEST(lines_of("a") == "0:1:a;");
    BOOST_TEST(lines_of("a\n") == "0:1:a;");
    BOOST_TEST(lines_of("a\nb") == "0:1:a;0:2:b;");
    BOOST_TEST(lines_of("\n\na\n \t\n\r\nb\n\n") == "0:3:a;0:6:b;");
    BOOST_TEST(lines_of("a\r\nb\r\n") == "0:1:a\r;0:2:b\r;");
    BOOST_TEST(lines_of("\xEF\xBB\xBF"
                        "a\n\xEF\xBB\xBF"
                        "b\n") ==
               "0:1:a;0:2:\xEF\xBB\xBF"
               "b;");
    BOOST_TEST(lines_of("\xEF\xBB\xBF\nb\n") == "0:2:b;");
    BOOST_TEST(lines_of("\xEF\xBB") == "0:1:\xEF\xBB;");
    using namespace std::string_literals;
    BOOST_TEST(lines_of("a\0b\n\0\n"s) == "0:1:a\0b;0:2:\0;"s);
    BOOST_TEST(lines_of("\v\n") == "0:1:\v;");
}

BOOST_AUTO_TEST_CASE(batches_of_every_size) {
    const std::string text =
        "\xEF\xBB\xBF"
        "a\n\nbb\r\nccccccccccccccccccccccccccccc\n\n\nd\ne";
    const std::string wanted = "0:1:a;0:3:bb\r;0:4:ccccccccccccccccccccccccccccc;0:7:d;0:8:e;";
    for (std::size_t batch = 1; batch < 2 * text.size(); ++batch)
        BOOST_TEST(lines_of(text, batch) == wanted, batch);
}

// Lines before one that is too long are returned, whatever the size of a read is.
BOOST_AUTO_TEST_CASE(a_line_that_is_too_long) {
    const temporary_folder folder;
    const std::string text = "a\n\nbb\nccccccccccccccccccccccccccccc\nd\n";
    for (const bool ends : {false, true}) {
        write_file(folder / "x", ends ? text.substr(0, text.size() - 3) : text);
        for (std::size_t batch = 1; batch < 2 * text.size(); ++batch) {
            BOOST_TEST(lines({folder / "x"}, batch, 28) ==
                           "0:1:a;0:3:bb;!: the line is longer than 28 bytes",
                       batch);
            BOOST_TEST(
                lines({folder / "x"}, batch, 1) == "0:1:a;!: the line is longer than 1 bytes",
                batch);
            BOOST_TEST(lines({folder / "x"}, batch, 29).find('!') == std::string::npos, batch);
        }
    }
}

// The place is counted in the line's own file.
BOOST_AUTO_TEST_CASE(where_a_line_is_too_long) {
    const temporary_folder folder;
    write_file(folder / "a", "1\n2\n");
    write_file(folder / "b", "1\n\n" + std::string(3 << 20, 'x'));
    for (const std::size_t longest : {std::size_t{1} << 20, (std::size_t{1} << 20) + 1}) {
        std::vector<input> inputs;
        for (const char* name : {"a", "b"}) inputs.push_back(input::open(folder / name).value());
        line_reader reader(std::move(inputs), 4096, longest);
        line_batch batch;
        std::size_t count = 0;
        auto more = reader.next(batch);
        for (; more && *more; more = reader.next(batch)) count += batch.lines.size();
        BOOST_TEST(count == 3U);
        BOOST_REQUIRE(!more);
        BOOST_TEST((more.error().kind() == error_kind::data));
        const std::string limit = longest == 1 << 20 ? "1 MiB" : "1048577 bytes";
        BOOST_TEST(more.error().message() == folder / "b" + ":3: the line is longer than " + limit);
    }
}

BOOST_AUTO_TEST_CASE(inputs_are_counted_apart) {
    const temporary_folder folder;
    write_file(folder / "a", "1\n2");
    write_file(folder / "b", "");
    write_file(folder / "c", "\n\n");
    write_file(folder / "d",
               "\xEF\xBB\xBF"
               "4\n");
    for (std::size_t batch = 1; batch < 9; ++batch)
        BOOST_TEST(lines({folder / "a", folder / "b", folder / "c", folder / "d"}, batch) ==
                   "0:1:1;0:2:2;3:1:4;");
}

// Lines that end just before, on and just after the edges of batches and read buffers.
BOOST_AUTO_TEST_CASE(long_lines) {
    for (const std::size_t edge : {std::size_t{4096}, std::size_t{1} << 18, std::size_t{1} << 19})
        for (std::size_t n = edge - 3; n < edge + 4; ++n) {
            const std::string longest(n, 'x');
            BOOST_TEST(
                lines_of("a\n" + longest + "\nb\n", 4096) == "0:1:a;0:2:" + longest + ";0:3:b;", n);
            BOOST_TEST(lines_of(longest, 4096) == "0:1:" + longest + ";", n);
        }
}

BOOST_AUTO_TEST_CASE(one_byte_at_a_time) {
    const temporary_folder folder;
    BOOST_REQUIRE(::mkfifo((folder / "x").c_str(), 0600) == 0);
    const std::string text =
        "\xEF\xBB\xBF"
        "a\n\nb\r\n(x\nc";
    std::thread writer([&] {
        std::FILE* out = std::fopen((folder / "x").c_str(), "w");
        for (const char c : text) {
            std::fputc(c, out);
            std::fflush(out);
            ::usleep(500);
        }
        std::fclose(out);
    });
    BOOST_TEST(lines({folder / "x"}, 1 << 18) == "0:1:a;0:3:b\r;0:4:(x;0:5:c;");
    writer.join();
}

// In a pause in the middle of a line, the lines before it must be written out.
BOOST_AUTO_TEST_CASE(a_pause_inside_a_line_is_told) {
    int ends[2];
    BOOST_REQUIRE(::pipe(ends) == 0);
    std::vector<input> inputs;
    inputs.push_back(input::open("/dev/fd/" + std::to_string(ends[0])).value());
    line_reader reader(std::move(inputs), 16);
    line_batch batch;
    // The first two lines fill a batch exactly, with more to read after them.
    const std::string text = "aaaaaaaaaaaa\nbb\nccc";
    BOOST_REQUIRE(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    std::size_t seen = 0;
    bool paused = false;
    while (!paused) {
        BOOST_REQUIRE(reader.next(batch).value());
        seen += batch.lines.size();
        paused = batch.input_paused;
    }
    BOOST_TEST(seen == 2u);
    BOOST_REQUIRE(::write(ends[1], "c\n", 2) == 2);
    ::close(ends[1]);
    BOOST_REQUIRE(reader.next(batch).value());
    BOOST_TEST(batch.lines.at(0).text == "cccc");
    BOOST_TEST(batch.lines.at(0).number == 3u);
    ::close(ends[0]);
}

BOOST_AUTO_TEST_CASE(lines_in_front_of_a_cut_come_first) {
    const temporary_folder folder;
    auto out = output::open({.path = folder / "x.zst"});
    BOOST_REQUIRE(out->write("a\nb\n").is_ok());
    BOOST_REQUIRE(out->flush().is_ok());
    BOOST_REQUIRE(out->write("c\n").is_ok());
    BOOST_REQUIRE(out->finish().is_ok());
    const std::string bytes = read_file(folder / "x.zst");
    write_file(folder / "y", bytes.substr(0, bytes.size() - 6));
    BOOST_TEST(lines({folder / "y"}, 1 << 18).starts_with("0:1:a;0:2:b;"));
    BOOST_TEST(lines({folder / "y"}, 1 << 18).ends_with("!: truncated zstd stream"));
}

BOOST_AUTO_TEST_CASE(more_inputs_than_descriptors) {
    const temporary_folder folder;
    write_file(folder / "x", "a\n");
    const std::vector<std::string> paths(3000, folder / "x");
    const std::string all = lines(paths, 1 << 10);
    BOOST_TEST(std::count(all.begin(), all.end(), ';') == 3000);
    BOOST_TEST(all.ends_with("2999:1:a;"));
}

BOOST_AUTO_TEST_SUITE_END()
