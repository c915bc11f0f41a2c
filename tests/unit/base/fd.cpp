#include "cuset/base/fd.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <string>
#include <thread>

#include "cuset/base/log.h"

using namespace cuset;

namespace {

struct pipe_ends {
    explicit pipe_ends(int flags = 0) {
        int ends[2];
        BOOST_REQUIRE(::pipe2(ends, flags | O_CLOEXEC) == 0);
        read = unique_fd(ends[0]);
        write = unique_fd(ends[1]);
    }
    unique_fd read, write;
};

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

}  // namespace

BOOST_AUTO_TEST_SUITE(descriptors)

BOOST_AUTO_TEST_CASE(ownership) {
    pipe_ends pipe;
    const int fd = pipe.read.get();
    unique_fd other = std::move(pipe.read);
    BOOST_TEST(!static_cast<bool>(pipe.read));
    BOOST_TEST(is_open(fd));
    other = unique_fd();
    BOOST_TEST(!is_open(fd));
    unique_fd released(pipe.write.release());
    BOOST_TEST(is_open(released.get()));
    const int raw = released.get();
    BOOST_TEST(released.close("x").is_ok());
    BOOST_TEST(!is_open(raw));
    BOOST_TEST(released.close("x").is_ok());  // nothing left to close
}

BOOST_AUTO_TEST_CASE(messages_name_the_file) {
    std::string buffer(10, '\0');
    BOOST_TEST(read_some(-1, buffer, "x").error().message() == "x: Bad file descriptor");
    BOOST_TEST(write_all(-1, "a", "x").message() == "x: Bad file descriptor");
}

BOOST_AUTO_TEST_CASE(whoever_read_has_gone) {
    ::signal(SIGPIPE, SIG_IGN);
    pipe_ends pipe;
    pipe.read.reset();
    BOOST_TEST((write_all(pipe.write.get(), "a", "x").kind() == error_kind::closed_pipe));
}

// Writes more than a pipe holds, through non-blocking ends.
BOOST_AUTO_TEST_CASE(non_blocking_ends) {
    pipe_ends pipe(O_NONBLOCK);
    const std::string sent(1 << 20, 'x');
    std::thread writer([&] {
        BOOST_TEST(write_all(pipe.write.get(), sent, "x").is_ok());
        pipe.write.reset();
    });
    std::string got, buffer(1000, '\0');
    while (const std::size_t n = read_some(pipe.read.get(), buffer, "x").value())
        got.append(buffer, 0, n);
    writer.join();
    BOOST_TEST((got == sent));
}

BOOST_AUTO_TEST_CASE(readiness) {
    pipe_ends pipe;
    const unique_fd event(::eventfd(0, EFD_CLOEXEC));
    BOOST_TEST(!is_readable_now(pipe.read.get()));
    BOOST_TEST(write_all(pipe.write.get(), "a", "x").is_ok());
    BOOST_TEST(is_readable_now(pipe.read.get()));
    BOOST_TEST(wait_readable(pipe.read.get(), event.get()));
    const std::uint64_t one = 1;
    BOOST_TEST(::write(event.get(), &one, sizeof one) == 8);
    BOOST_TEST(!wait_readable(pipe.read.get(), event.get()));
    std::string buffer(10, '\0');
    BOOST_TEST(read_some(pipe.read.get(), buffer, "x").value() == 1u);
    BOOST_TEST(!wait_readable(pipe.read.get(), event.get()));
    pipe.write.reset();
    BOOST_TEST(is_readable_now(pipe.read.get()));  // its end
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(statuses)

BOOST_AUTO_TEST_CASE(exit_codes) {
    BOOST_TEST(exit_code(error_kind::none) == 0);
    BOOST_TEST(exit_code(error_kind::closed_pipe) == 0);
    BOOST_TEST(exit_code(error_kind::data) == 1);
    BOOST_TEST(exit_code(error_kind::io) == 1);
    BOOST_TEST(exit_code(error_kind::usage) == 2);
    BOOST_TEST(exit_code(error_kind::unsupported) == 4);
}

BOOST_AUTO_TEST_CASE(values_and_errors) {
    BOOST_TEST(io_error("x", ENOENT).message() == "x: No such file or directory");
    BOOST_TEST((io_error("x", EPIPE).kind() == error_kind::closed_pipe));
    BOOST_TEST(data_error("b").with_prefix("a: ").message() == "a: b");
    BOOST_TEST(status().with_prefix("a: ").message() == "");
    const auto doubled = [](result<int> r) -> result<int> {
        CUSET_ASSIGN(const int value, std::move(r));
        return 2 * value;
    };
    BOOST_TEST(doubled(4).value() == 8);
    BOOST_TEST(doubled(usage_error("no")).error().message() == "no");
    const auto tried = [](status s) -> status {
        CUSET_TRY(std::move(s));
        return data_error("came through");
    };
    BOOST_TEST(tried(status::ok()).message() == "came through");
    BOOST_TEST(tried(unsupported("gone")).message() == "gone");
}

BOOST_AUTO_TEST_CASE(log_sinks) {
    static std::string seen;
    log(log_level::warning, "into nothing");
    set_log_sink([](log_level level, std::string_view m) {
        seen = std::string(m) + (level == log_level::note ? "!" : "?");
    });
    log(log_level::note, "heard");
    set_log_sink(nullptr);
    log(log_level::note, "unheard");
    BOOST_TEST(seen == "heard!");
}

BOOST_AUTO_TEST_SUITE_END()
