#include "cuset/stream/record_filter.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <random>
#include <set>
#include <thread>

#include "cuset/base/log.h"
#include "cuset/stream/output.h"
#include "files_and_lines.h"

using namespace cuset;
using namespace cuset::test;

namespace {

// Adds the length of the response under "len". The responses "bad" and "slow" are errors of the
// record; "io" is one that ends the stream.
class length_worker final : public record_worker {
public:
    void process(std::span<pair_record> records, std::span<record_outcome> outcomes) override {
        for (std::size_t i = 0; i < records.size(); ++i) {
            // Work of different lengths, so that batches end out of order.
            volatile unsigned sum = 0;
            for (std::size_t k = 0; k < 200 * (records[i].number % 37); ++k) sum = sum + 1;
            // Long enough for another thread to start waiting for input.
            if (records[i].response == "slow") ::usleep(100'000);
            if (records[i].response == "bad" || records[i].response == "slow")
                outcomes[i].error = data_error("too bad");
            if (records[i].response == "io") outcomes[i].error = io_error("device", EIO);
            if (outcomes[i].error.is_ok())
                splice(records[i], "len", std::to_string(records[i].response.size()),
                       outcomes[i].lines);
        }
    }
};

result<stream_summary> run(const stream_options& options) {
    return filter_records(options,
                          {.parts = record_part::response,
                           .own_key = "len",
                           .prompt_field = {},
                           .response_field = {}},
                          [] { return made_worker(std::make_unique<length_worker>()); });
}

std::string many_records(std::size_t count) {
    std::mt19937 random(3);
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        if (random() % 10 == 0) text += '\n';
        text += "{\"id\":\"r" + std::to_string(i) + "\", \"n\":1e05,\"response\":\"" +
                std::string(random() % 50, 'x') + "\"}" + (random() % 5 == 0 ? "\r\n" : "\n");
    }
    return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(filters)

BOOST_AUTO_TEST_CASE(order_and_bytes_do_not_depend_on_threads) {
    const temporary_folder folder;
    write_file(folder / "in", many_records(5000));
    std::string plain, packed;
    for (const int threads : {1, 2, 4, 16})
        for (const auto name : {"out", "out.zst"}) {
            const auto done = run({.inputs = {folder / "in"},
                                   .output = output_options{.path = folder / name},
                                   .threads = threads,
                                   .rejects = {},
                                   .batch_bytes = 500});
            BOOST_REQUIRE(done.is_ok());
            BOOST_TEST(done->records == 5000u);
            const std::string bytes = read_file(folder / name);
            std::string& first = name == std::string("out") ? plain : packed;
            if (first.empty()) first = bytes;
            BOOST_TEST((bytes == first), threads);
        }
    BOOST_TEST((drain_file(folder / "out.zst").value() == plain));
    BOOST_TEST(std::count(plain.begin(), plain.end(), '\n') == 5000);
    std::size_t at = 0;
    for (int i = 0; i < 5000; ++i) {
        at = plain.find("{\"id\":\"r" + std::to_string(i) + '"', at);
        BOOST_REQUIRE(at != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(shards_are_a_partition) {
    const temporary_folder folder;
    // Each broken line, and each line without an id, also belongs to one shard.
    write_file(folder / "in",
               many_records(500) + "broken\n{}\n{\"response\":\"x\"}\n{\"response\":\"bad\"}\n");
    std::multiset<std::string> all;
    std::uint64_t records = 0, rejected = 0;
    for (std::uint64_t i = 0; i < 7; ++i) {
        const auto done = run({.inputs = {folder / "in"},
                               .output = output_options{.path = folder / "out"},
                               .threads = 2,
                               .skip_errors = true,
                               .rejects = folder / "bad",
                               .shard_index = i,
                               .shard_count = 7,
                               .batch_bytes = 1000});
        BOOST_REQUIRE(done.is_ok());
        records += done->records;
        rejected += done->rejected;
        BOOST_TEST(done->records > 0u);
        for (const auto name : {"out", "bad"}) {
            std::ifstream in(folder / name);
            for (std::string l; std::getline(in, l);) all.insert(l);
        }
    }
    BOOST_TEST(records == 504u);
    BOOST_TEST(rejected == 3u);
    BOOST_TEST(all.size() == 504u);
    BOOST_TEST(std::set<std::string>(all.begin(), all.end()).size() == 504u);
}

BOOST_AUTO_TEST_CASE(rejects_are_the_lines_as_they_came) {
    const temporary_folder folder;
    using namespace std::string_literals;
    write_file(folder / "in",
               "\xEF\xBB\xBF{\"response\":\"a\"}\n\n{\"response\": 5 "
               "}\r\n\xff\n{\"response\":\"bad\"}\nx\0y\n"
               "{\"response\":\"b\"}\n {"s);
    for (const int threads : {1, 4}) {
        const auto done = run({.inputs = {folder / "in"},
                               .output = output_options{.path = folder / "out"},
                               .threads = threads,
                               .skip_errors = true,
                               .rejects = folder / "bad",
                               .batch_bytes = 1});
        BOOST_TEST(done->records == 7u);
        BOOST_TEST(done->rejected == 5u);
        BOOST_TEST(read_file(folder / "out") ==
                   "{\"response\":\"a\",\"len\":1}\n{\"response\":\"b\",\"len\":1}\n");
        BOOST_TEST(read_file(folder / "bad") ==
                   "{\"response\": 5 }\r\n\xff\n{\"response\":\"bad\"}\nx\0y\n {\n"s);
    }
}

BOOST_AUTO_TEST_CASE(the_first_bad_record_stops_the_stream) {
    const temporary_folder folder;
    write_file(folder / "good", many_records(300));
    write_file(folder / "in",
               "\n" + many_records(300) + "{\"response\":\"bad\"}\nbroken\n" + many_records(300));
    const auto lines = std::to_string(1 + [&] {
        const std::string text = read_file(folder / "in");
        return std::count(
            text.begin(),
            text.begin() + static_cast<std::ptrdiff_t>(text.find("{\"response\":\"bad")), '\n');
    }());
    for (const int threads : {1, 4})
        for (const std::size_t batch : {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 20}) {
            write_file(folder / "out", "old");
            const auto done = run({.inputs = {folder / "good", folder / "in"},
                                   .output = output_options{.path = folder / "out"},
                                   .threads = threads,
                                   .rejects = {},
                                   .batch_bytes = batch});
            BOOST_REQUIRE(!done.is_ok());
            BOOST_TEST(done.error().message() == (folder / "in") + ':' + lines + ": too bad");
            BOOST_TEST(exit_code(done.error().kind()) == 1);
            BOOST_TEST(read_file(folder / "out") == "old");
            BOOST_TEST(folder.file_count() == 3u);
        }
}

BOOST_AUTO_TEST_CASE(other_errors_are_never_skipped) {
    const temporary_folder folder;
    write_file(folder / "in", "{\"response\":\"a\"}\n{\"response\":\"io\"}\n");
    const auto done = run({.inputs = {folder / "in"},
                           .output = output_options{.path = folder / "out"},
                           .threads = 1,
                           .skip_errors = true,
                           .rejects = folder / "bad"});
    BOOST_TEST(done.error().message() == "device: Input/output error");
    BOOST_TEST(folder.file_count() == 1u);
}

BOOST_AUTO_TEST_CASE(files_that_must_differ) {
    const temporary_folder folder;
    write_file(folder / "in", "{\"response\":\"a\"}\n");
    std::filesystem::create_hard_link(folder / "in", folder / "twin");
    std::filesystem::create_symlink("in", folder / "link");
    for (const auto name : {"in", "twin", "link"}) {
        const auto output_is_input = run({.inputs = {"/dev/null", folder / "in"},
                                          .output = output_options{.path = folder / name},
                                          .threads = 1,
                                          .rejects = {}});
        BOOST_TEST((output_is_input.error().kind() == error_kind::usage));
        const auto rejects_are_input = run({.inputs = {folder / "in"},
                                            .output = output_options{.path = folder / "out"},
                                            .threads = 1,
                                            .skip_errors = true,
                                            .rejects = folder / name});
        BOOST_TEST((rejects_are_input.error().kind() == error_kind::usage));
    }
    const auto rejects_are_output = run({.inputs = {folder / "in"},
                                         .output = output_options{.path = folder / "new"},
                                         .threads = 1,
                                         .skip_errors = true,
                                         .rejects = folder / "new"});
    BOOST_TEST((rejects_are_output.error().kind() == error_kind::usage));
    // The tool's further outputs, whether the file exists or not.
    for (const auto name : {"in", "link", "new"}) {
        const std::string path = folder / name;
        const auto is_written_too = run({.inputs = {folder / "in"},
                                         .threads = 1,
                                         .skip_errors = true,
                                         .rejects = folder / "new",
                                         .written = {{"--log", identify(path)}}});
        const std::string first = name == std::string("new") ? "--rejects" : folder / "in: input";
        BOOST_TEST(is_written_too.error().message() == first + " and --log are the same file");
    }
    BOOST_TEST(read_file(folder / "in") == "{\"response\":\"a\"}\n");
    BOOST_TEST(folder.file_count() == 3u);
}

BOOST_AUTO_TEST_CASE(without_an_output) {
    const temporary_folder folder;
    write_file(folder / "in", many_records(300) + "{\"response\":\"bad\"}\n");
    const auto done = run({.inputs = {folder / "in"},
                           .threads = 4,
                           .skip_errors = true,
                           .rejects = folder / "bad",
                           .batch_bytes = 500});
    BOOST_TEST(done->records == 301u);
    BOOST_TEST(read_file(folder / "bad") == "{\"response\":\"bad\"}\n");
    BOOST_TEST(folder.file_count() == 2u);
}

// A writer that pauses sees the results of its lines, at any number of threads. A bad line ends the
// stream at once, even if the writer sends nothing more.
BOOST_AUTO_TEST_CASE(pauses) {
    const temporary_folder folder;
    BOOST_REQUIRE(::mkfifo((folder / "in").c_str(), 0600) == 0);
    BOOST_REQUIRE(::mkfifo((folder / "out").c_str(), 0600) == 0);
    BOOST_REQUIRE(::mkfifo((folder / "out.zst").c_str(), 0600) == 0);
    for (const auto name : {"out", "out.zst"})
        for (const int threads : {1, 2, 4}) {
            const unique_fd keeps_in(::open((folder / "in").c_str(), O_RDWR));
            const unique_fd keeps_out(::open((folder / name).c_str(), O_RDWR));
            status ended;
            std::thread tool([&] {
                auto done = run({.inputs = {folder / "in"},
                                 .output = output_options{.path = folder / name},
                                 .threads = threads,
                                 .rejects = {}});
                ended = std::move(done).error();
            });
            auto reader = input::open(folder / name);
            std::string buffer(1000, '\0');
            for (int i = 0; i < 5; ++i) {
                BOOST_REQUIRE(
                    write_all(keeps_in.get(), "{\"response\":\"a\"}\n{\"resp", "in").is_ok());
                BOOST_TEST(buffer.substr(0, reader->read(buffer).value()) ==
                           "{\"response\":\"a\",\"len\":1}\n");
                BOOST_REQUIRE(write_all(keeps_in.get(), "onse\":\"\"}\n", "in").is_ok());
                BOOST_TEST(buffer.substr(0, reader->read(buffer).value()) ==
                           "{\"response\":\"\",\"len\":0}\n");
            }
            BOOST_REQUIRE(write_all(keeps_in.get(), "{\"response\":\"slow\"}\n", "in").is_ok());
            tool.join();
            BOOST_TEST(ended.message() == (folder / "in") + ":11: too bad");
        }
}

// A file that is read, or decompressed, ahead of the work is not said to be done.
BOOST_AUTO_TEST_CASE(progress_is_of_what_is_done) {
    class slow_worker final : public record_worker {
    public:
        std::size_t batch_bytes() const override { return 8192; }
        void process(std::span<pair_record> records, std::span<record_outcome>) override {
            ::usleep(static_cast<useconds_t>(records.size()) * 15'000);
        }
    };
    constexpr std::size_t count = 60;
    const temporary_folder folder;
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
        text += "{\"response\":\"" + std::string(2000, 'x') + "\"}\n";
    write_file(folder / "in", text);
    auto packed = output::open({.path = folder / "in.zst"});
    BOOST_REQUIRE(packed->write(text).is_ok());
    BOOST_REQUIRE(packed->finish().is_ok());
    for (const auto name : {"in", "in.zst"}) {
        static std::vector<std::string> said;
        said.clear();
        set_log_sink([](log_level level, std::string_view message) {
            if (level == log_level::progress) said.emplace_back(message);
        });
        const auto done =
            filter_records({.inputs = {folder / name}, .output = {}, .threads = 1, .rejects = {}},
                           {.parts = record_part::response,
                            .own_key = "len",
                            .prompt_field = {},
                            .response_field = {}},
                           [] { return made_worker(std::make_unique<slow_worker>()); });
        set_log_sink(nullptr);
        BOOST_TEST(done->records == count);
        BOOST_TEST(said.size() >= 2u);
        for (const std::string& message : said) {
            unsigned records = 0, rate = 0, percent = 0;
            const int found =
                std::sscanf(message.c_str(), "%u records, %u/s, %u %%", &records, &rate, &percent);
            BOOST_TEST(found >= 2, message);
            BOOST_TEST(percent <= 100 * records / count + 1, name << ": " << message);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
