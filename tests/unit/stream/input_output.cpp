#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <boost/test/unit_test.hpp>
#include <random>

#include "cuset/stream/input.h"
#include "cuset/stream/output.h"
#include "files_and_lines.h"

using namespace cuset;
using namespace cuset::test;

namespace {

std::string sample(std::size_t size, unsigned seed = 1) {
    std::mt19937 random(seed);
    std::string text;
    while (text.size() < size) text += "line " + std::to_string(random() % 1000) + '\n';
    text.resize(size);
    return text;
}

std::string frame(std::string_view text, bool checksum = true) {
    ZSTD_CCtx* context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, checksum);
    std::string out(ZSTD_compressBound(text.size()), '\0');
    out.resize(ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size()));
    ZSTD_freeCCtx(context);
    return out;
}

std::string member(std::string_view text) {
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string in(text), out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

std::string skippable(std::string_view text) {
    std::string out = "\x5A\x2A\x4D\x18";
    for (int shift = 0; shift < 32; shift += 8)
        out.push_back(static_cast<char>(text.size() >> shift & 0xFF));
    return out.append(text);
}

// The text that reading these bytes gives; nothing for an error, which must be a data error.
std::optional<std::string> read_bytes(std::string_view bytes, std::size_t piece = 4096) {
    const temporary_folder folder;
    write_file(folder / "x", bytes);
    auto text = drain_file(folder / "x", piece);
    if (text) return std::move(text).value();
    BOOST_TEST((text.error().kind() == error_kind::data));
    return std::nullopt;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(inputs_and_outputs)

BOOST_AUTO_TEST_CASE(round_trips) {
    const temporary_folder folder;
    for (const std::size_t size :
         {0u, 1u, 3u, 4u, 5u, 1000u, 131071u, 131072u, 131073u, 262144u, 1000000u})
        for (const auto name : {"x", "x.zst"})
            for (const std::size_t piece : {1u, 7u, 100000000u}) {
                if (piece == 1 && size > 1000) continue;
                const std::string text = sample(size);
                auto out = output::open({.path = folder / name});
                BOOST_REQUIRE(out.is_ok());
                for (std::size_t at = 0; at < size; at += piece)
                    BOOST_REQUIRE(out->write(std::string_view(text).substr(at, piece)).is_ok());
                BOOST_REQUIRE(out->finish().is_ok());
                BOOST_TEST(drain_file(folder / name).value() == text);
                BOOST_TEST((read_file(folder / name) == text) == (name == std::string("x")));
            }
    BOOST_TEST(folder.file_count() == 2u);
}

// One frame with a checksum; other readers and `zstd -t` rely on that.
BOOST_AUTO_TEST_CASE(the_frame) {
    const temporary_folder folder;
    for (const std::size_t size : {std::size_t{0}, std::size_t{10}, std::size_t{3000000}}) {
        auto out = output::open({.path = folder / "x.zst"});
        BOOST_REQUIRE(out->write(sample(size / 2)).is_ok());
        BOOST_REQUIRE(out->flush().is_ok());
        BOOST_REQUIRE(out->write(sample(size / 2)).is_ok());
        BOOST_REQUIRE(out->finish().is_ok());
        const std::string bytes = read_file(folder / "x.zst");
        BOOST_TEST(ZSTD_findFrameCompressedSize(bytes.data(), bytes.size()) == bytes.size());
        BOOST_TEST((bytes.at(4) & 4) == 4);  // Frame_Header_Descriptor: Content_Checksum_flag
    }
}

BOOST_AUTO_TEST_CASE(several_frames_are_one_stream) {
    const std::string a = sample(300000), b = sample(10, 2);
    for (const std::size_t piece : {std::size_t{1} << 20, std::size_t{1000}}) {
        BOOST_TEST(*read_bytes(frame(a) + frame(b), piece) == a + b);
        BOOST_TEST(*read_bytes(frame("") + frame(b) + frame(""), piece) == b);
        BOOST_TEST(*read_bytes(skippable("note") + frame(a) + skippable("") + frame(b, false) +
                                   skippable(std::string(300000, 'x')),
                               piece) == a + b);
        BOOST_TEST(*read_bytes(skippable("alone"), piece) == "");
    }
}

// A file that is cut inside a frame is an error, wherever the cut is. Two cuts are no error: at the
// very beginning, which leaves an empty plain file, and between frames, which zstd itself takes for
// a good end. So we write one frame per file: then only the first case is left, and a tool that
// fails leaves at least the magic number (see abandoned_output).
BOOST_AUTO_TEST_CASE(every_cut) {
    const std::string first = frame(sample(2000)), both = first + frame(sample(500, 2));
    for (std::size_t n = 0; n < both.size(); ++n) {
        const auto text = read_bytes(std::string_view(both).substr(0, n), 333);
        if (n == 0) {
            BOOST_TEST(*text == "");
        } else if (n == first.size()) {
            BOOST_TEST(*text == sample(2000));
        } else {
            BOOST_TEST(!text.has_value(), n);
        }
    }
}

BOOST_AUTO_TEST_CASE(every_flipped_bit) {
    const std::string text = sample(200), good = frame(text);
    for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
        std::string bytes = good;
        bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
        const auto read = read_bytes(bytes);
        // After a flipped bit in the magic number the file counts as plain text, which is then no
        // JSON.
        if (bit < 32 && read && *read == bytes) continue;
        if (read) BOOST_TEST(*read == text, bit);
    }
}

BOOST_AUTO_TEST_CASE(garbage_behind_a_frame) {
    const std::string good = frame(sample(100));
    for (const auto garbage : {"x", "\n", "{}\n", "\x28\xB5\x2F", "garbage garbage"})
        BOOST_TEST(!read_bytes(good + garbage).has_value(), garbage);
}

BOOST_AUTO_TEST_CASE(the_magic_number_decides) {
    BOOST_TEST(*read_bytes("(text") == "(text");
    BOOST_TEST(*read_bytes("\x28\xB5\x2F text") == "\x28\xB5\x2F text");
    BOOST_TEST(*read_bytes("[1]\n") == "[1]\n");
    const temporary_folder folder;
    write_file(folder / "plain.zst", "{}\n");
    BOOST_TEST(drain_file(folder / "plain.zst").value() == "{}\n");
}

BOOST_AUTO_TEST_CASE(gzip_members_are_one_stream) {
    const std::string a = sample(300000), b = sample(10, 2), zeros(300000, '\0');
    for (const std::size_t piece : {std::size_t{1} << 20, std::size_t{1000}, std::size_t{1}}) {
        BOOST_TEST(*read_bytes(member(a), piece) == a);
        BOOST_TEST(*read_bytes(member(a) + member(b) + member(""), piece) == a + b);
        // Padding of a tape: zeros between members and behind the last one.
        BOOST_TEST(*read_bytes(member(b) + zeros + member(a) + zeros, piece) == b + a);
    }
    // What inflates a thousand times is given out piece by piece.
    const std::string flat(10'000'000, 'x');
    BOOST_TEST(*read_bytes(member(flat), 333) == flat);
}

BOOST_AUTO_TEST_CASE(every_cut_of_gzip) {
    const std::string first = member(sample(2000)), both = first + member(sample(500, 2));
    for (std::size_t n = 1; n < both.size(); ++n) {
        const auto text = read_bytes(std::string_view(both).substr(0, n), 333);
        if (n == first.size())
            BOOST_TEST(*text == sample(2000));
        else
            BOOST_TEST(!text.has_value(), n);
    }
}

// zlib ignores some bits of the header: the time, the system, a flag for text.
BOOST_AUTO_TEST_CASE(every_flipped_bit_of_gzip) {
    const std::string text = sample(200), good = member(text);
    std::size_t refused = 0;
    for (std::size_t bit = 16; bit < 8 * good.size(); ++bit) {
        std::string bytes = good;
        bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
        const auto read = read_bytes(bytes);
        refused += !read;
        if (read) BOOST_TEST(*read == text, bit);
    }
    BOOST_TEST(refused > 8 * (good.size() - 12));
}

BOOST_AUTO_TEST_CASE(garbage_behind_a_gzip_member) {
    const std::string good = member(sample(100));
    for (const auto garbage : {"x", "\n", "{}\n", "\x1f", "\x1f\x8b", "garbage garbage"})
        BOOST_TEST(!read_bytes(good + garbage).has_value(), garbage);
    BOOST_TEST(!read_bytes(good + frame("a")).has_value());
    BOOST_TEST(!read_bytes(frame("a") + good).has_value());
    BOOST_TEST(!read_bytes("\x1f").has_value());
}

BOOST_AUTO_TEST_CASE(windows_too_large_to_hold) {
    ZSTD_CCtx* context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 28);
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
    std::string out(1000, '\0');
    ZSTD_inBuffer in{"abc", 3, 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    BOOST_REQUIRE(ZSTD_compressStream2(context, &to, &in, ZSTD_e_flush) == 0u);
    BOOST_REQUIRE(ZSTD_compressStream2(context, &to, &in, ZSTD_e_end) == 0u);
    ZSTD_freeCCtx(context);
    const temporary_folder folder;
    write_file(folder / "x", std::string_view(out).substr(0, to.pos));
    const auto text = drain_file(folder / "x");
    BOOST_REQUIRE(!text.is_ok());
    BOOST_TEST(text.error().message().find("128 MiB") != std::string::npos);
}

// A step of progress is a block of the compression, not the buffer that the raw bytes came in.
BOOST_AUTO_TEST_CASE(bytes_consumed_are_those_that_were_used) {
    const temporary_folder folder;
    std::mt19937 random(3);
    std::string noise(3 * 128 * 1024, '\0');
    for (char& c : noise) c = static_cast<char>(random());
    for (const std::string& bytes : {frame(noise), member(noise)}) {
        write_file(folder / "x", bytes.substr(0, 250000));
        auto in = input::open(folder / "x");
        BOOST_REQUIRE(in.is_ok());
        BOOST_TEST(in->bytes_consumed() == 0U);
        char some[1000];
        BOOST_TEST(in->read(some).value() == sizeof some);
        BOOST_TEST(in->bytes_consumed() < 135000U);
        BOOST_TEST(in->bytes_total() == 250000U);
    }
    write_file(folder / "x", member(noise));
    auto in = input::open(folder / "x");
    std::vector<char> all(noise.size() + 1);
    std::size_t size = 0;
    while (const std::size_t n = in->read(std::span(all).subspan(size)).value()) size += n;
    BOOST_TEST(size == noise.size());
    BOOST_TEST(in->bytes_consumed() == in->bytes_total());
}

BOOST_AUTO_TEST_CASE(inputs_that_cannot_be) {
    const temporary_folder folder;
    BOOST_TEST(input::open(folder / "none").error().message() ==
               (folder / "none") + ": No such file or directory");
    BOOST_TEST(input::open(folder / "").error().message() == (folder / "") + ": Is a directory");
}

// A stream that is abandoned before its end must not look complete to its reader.
BOOST_AUTO_TEST_CASE(abandoned_output) {
    const temporary_folder folder;
    for (const int written : {0, 1, 2}) {
        // A pipe under the name of a .zst file stands for standard output.
        const std::string path = folder / "p.zst";
        BOOST_REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
        const unique_fd reader(::open(path.c_str(), O_RDWR));
        {
            auto out = output::open({.path = path});
            if (written > 0) BOOST_TEST(out->write("text\n").is_ok());
            if (written > 1) BOOST_TEST(out->flush().is_ok());
        }
        std::string bytes(1000, '\0');
        bytes.resize(read_some(reader.get(), bytes, "pipe").value());
        BOOST_TEST(!read_bytes(bytes).has_value());
        ::unlink(path.c_str());
    }
    { auto out = output::open({.path = folder / "x.zst"}); }
    BOOST_TEST(folder.file_count() == 0u);
}

BOOST_AUTO_TEST_CASE(flushed_bytes_can_be_read) {
    const temporary_folder folder;
    for (const auto name : {"p", "p.zst"}) {
        const std::string path = folder / name;
        BOOST_REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
        const unique_fd keeps_open(::open(path.c_str(), O_RDWR));
        auto in = input::open(path);
        auto out = output::open({.path = path});
        for (const std::string text : {"{}\n", "b\n", "the third\n"}) {
            BOOST_REQUIRE(out->write(text).is_ok());
            BOOST_REQUIRE(out->flush().is_ok());
            std::string got;
            std::string buffer(100, '\0');
            while (got.size() < text.size()) got.append(buffer, 0, in->read(buffer).value());
            BOOST_TEST(got == text);
            BOOST_TEST(!in->is_readable_now());
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(output_files)

namespace {

status put(const std::string& path, std::string_view bytes) {
    auto file = output_file::open(path);
    if (!file) return file.error();
    CUSET_TRY(file->write(bytes));
    return file->commit();
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_old_file_stays_until_commit) {
    const temporary_folder folder;
    write_file(folder / "x", "old");
    {
        auto file = output_file::open(folder / "x");
        BOOST_REQUIRE(file->write("new").is_ok());
        BOOST_TEST(read_file(folder / "x") == "old");
        BOOST_TEST(folder.file_count() == 2u);
    }
    BOOST_TEST(read_file(folder / "x") == "old");
    BOOST_TEST(folder.file_count() == 1u);
    BOOST_REQUIRE(put(folder / "x", "new").is_ok());
    BOOST_TEST(read_file(folder / "x") == "new");
    BOOST_TEST(folder.file_count() == 1u);
}

BOOST_AUTO_TEST_CASE(mode_and_links_are_kept) {
    const temporary_folder folder;
    write_file(folder / "x", "old");
    BOOST_REQUIRE(::chmod((folder / "x").c_str(), 0640) == 0);
    std::filesystem::create_symlink("x", folder / "link");
    std::filesystem::create_symlink(folder / "link", folder / "link2");
    BOOST_REQUIRE(put(folder / "link2", "new").is_ok());
    BOOST_TEST(read_file(folder / "x") == "new");
    BOOST_TEST(std::filesystem::is_symlink(folder / "link2"));
    struct stat info {};
    BOOST_REQUIRE(::stat((folder / "x").c_str(), &info) == 0);
    BOOST_TEST((info.st_mode & 07777) == 0640u);
    // A link to a file that does not exist yet.
    std::filesystem::create_symlink("made", folder / "link3");
    BOOST_REQUIRE(put(folder / "link3", "new").is_ok());
    BOOST_TEST(read_file(folder / "made") == "new");
    std::filesystem::create_symlink("loop", folder / "loop");
    BOOST_TEST(!put(folder / "loop", "new").is_ok());
}

BOOST_AUTO_TEST_CASE(what_is_no_file_is_written_to) {
    const temporary_folder folder;
    BOOST_REQUIRE(put("/dev/null", "x").is_ok());
    BOOST_TEST(std::filesystem::is_character_file("/dev/null"));
    BOOST_REQUIRE(::mkfifo((folder / "p").c_str(), 0600) == 0);
    const unique_fd reader(::open((folder / "p").c_str(), O_RDWR));
    BOOST_REQUIRE(put(folder / "p", "through").is_ok());
    std::string bytes(100, '\0');
    BOOST_TEST(bytes.substr(0, read_some(reader.get(), bytes, "p").value()) == "through");
    // The link behind the name of a pipe's descriptor names no file.
    BOOST_REQUIRE(put("/dev/fd/" + std::to_string(reader.get()), "again").is_ok());
    BOOST_TEST(bytes.substr(0, read_some(reader.get(), bytes, "p").value()) == "again");
    BOOST_TEST(put("/dev/full", "x").message() == "/dev/full: No space left on device");
    BOOST_TEST(!put(folder / "", "x").is_ok());
    BOOST_TEST(!put(folder / "no/x", "x").is_ok());
    BOOST_TEST(!put("", "x").is_ok());
}

BOOST_AUTO_TEST_CASE(names_as_long_as_they_may_be) {
    const temporary_folder folder;
    BOOST_REQUIRE(put(folder / std::string(255, 'n'), "x").is_ok());
    BOOST_TEST(!put(folder / std::string(256, 'n'), "x").is_ok());
}

BOOST_AUTO_TEST_CASE(one_destination_under_two_names) {
    const temporary_folder folder;
    std::filesystem::create_symlink("new", folder / "link");
    std::filesystem::create_directory_symlink(".", folder / "here");
    write_file(folder / "old", "");
    std::filesystem::create_hard_link(folder / "old", folder / "twin");
    const auto opened = [&](const std::string& path) {
        return output_file::open(path)->identity();
    };
    for (const auto name : {"new", "link", "here/new"}) {
        BOOST_TEST(opened(folder / "new").is_same_file(opened(folder / name)));
        BOOST_TEST(opened(folder / "new").is_same_file(identify(folder / name)));
    }
    BOOST_TEST(!opened(folder / "new").is_same_file(opened(folder / "other")));
    BOOST_TEST(!opened(folder / "new").is_same_file(opened(folder / "old")));
    BOOST_TEST(opened(folder / "old").is_same_file(opened(folder / "twin")));
    for (const auto nothing : {"/dev/null", ""})
        BOOST_TEST(!identify(nothing).is_same_file(identify(nothing)));
}

BOOST_AUTO_TEST_SUITE_END()
