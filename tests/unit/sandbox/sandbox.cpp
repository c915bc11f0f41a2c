#include "cuset/sandbox/sandbox.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

#include "sandbox_room.h"

using namespace cuset;
using namespace cuset::sandbox_test;

BOOST_AUTO_TEST_SUITE(sandboxes, *boost::unit_test::precondition(can_sandbox))

BOOST_FIXTURE_TEST_CASE(what_a_program_did, room) {
    const auto said = sh("echo out; echo err >&2; exit 3");
    ends(said, run_end::exited, 3);
    BOOST_TEST((said.out == "out\n" && said.err == "err\n"), said.out << said.err);
    ends(sh("kill -SEGV $$"), run_end::signalled, 11);
    ends(sh("cat"), run_end::exited, 0);  // nothing to read
    BOOST_TEST(sh("pwd").out == "/job\n");
}

BOOST_FIXTURE_TEST_CASE(output_is_passed_on_as_it_comes, room) {
    std::string seen;
    const fs::path go = request.work / "go";
    request.streams.on_output = [&](output_stream which, std::string_view text) {
        seen += (which == output_stream::out ? "out " : "err ") + std::string(text);
        if (seen == "out first\n") std::ofstream(go) << "now";
        return status();
    };
    // It goes on only when its first line has been seen.
    const auto report =
        sh("echo first; while [ ! -e go ]; do sleep 0.01; done; echo second >&2; exit 4");
    ends(report, run_end::exited, 4);
    BOOST_TEST(seen == "out first\nerr second\n");
    BOOST_TEST((report.out == "first\n" && report.err == "second\n"));
    request.streams.on_output = [&](output_stream, std::string_view) {
        return status(error_kind::closed_pipe, "nobody reads");
    };
    request.command = {"sh", "-c", "echo x; exec sleep 1000"};
    const auto ended = opened->run(request);
    BOOST_TEST((!ended.is_ok() && ended.error().kind() == error_kind::closed_pipe));
    // The time that a reader takes is not the program's.
    request.limits.seconds = 0.5;
    request.streams.on_output = [&](output_stream, std::string_view) {
        std::this_thread::sleep_for(std::chrono::milliseconds(700));
        return status();
    };
    ends(sh("echo x; sleep 0.1; echo y"), run_end::exited, 0);
}

BOOST_FIXTURE_TEST_CASE(input_is_passed_on, room) {
    ::signal(SIGPIPE, SIG_IGN);
    std::array<int, 2> ends_of{};
    BOOST_REQUIRE(::pipe(ends_of.data()) == 0);
    const fs::path copy = folder / "copy";
    {
        const unique_fd from(ends_of[0]);
        unique_fd to(ends_of[1]);
        const unique_fd kept(::open(copy.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
        request.streams.input = from.get();
        request.streams.input_copy = kept.get();
        request.streams.on_output = [&](output_stream, std::string_view text) {
            if (text == "a\n") {
                BOOST_TEST(::write(to.get(), "b\n", 2) == 2);
                to.reset();
            }
            return status();
        };
        BOOST_TEST(::write(to.get(), "a\n", 2) == 2);
        const auto said = sh("read -r x; echo $x; cat; echo end");
        BOOST_TEST(said.out == "a\nb\nend\n");
    }
    BOOST_TEST(text_of(copy) == "a\nb\n");
    // A file, which is longer than a pipe, and a program that does not read to its end.
    std::ofstream(copy) << std::string(1 << 20, 'x') << "\nlast\n";
    request.streams = {};
    const unique_fd file(::open(copy.c_str(), O_RDONLY | O_CLOEXEC));
    request.streams.input = file.get();
    BOOST_TEST(sh("tail -n 1").out == "last\n");
    ::lseek(file.get(), 0, SEEK_SET);
    ends(sh("exec <&-; sleep 0.1; exit 6"), run_end::exited, 6);
}

BOOST_FIXTURE_TEST_CASE(what_is_not_the_programs_fault, room) {
    request.mounts = {{folder / "nowhere", "/job/input"}};
    request.command = {"true"};
    const auto report = opened->run(request);
    BOOST_REQUIRE(!report.is_ok());
    BOOST_TEST((report.error().kind() == error_kind::data));
    BOOST_TEST(report.error().message().find("nowhere") != std::string::npos);
    request.mounts.clear();
    ends(sh("echo 'bwrap: no' >&2; exit 1"), run_end::exited, 1);
    request.command = {"no-such-program"};
    ends(run(), run_end::exited, 127);
}

BOOST_FIXTURE_TEST_CASE(sees_no_more_than_it_is_given, room) {
    ::setenv("CUSET_SECRET", "secret", 1);
    const auto environment = sh("env");
    BOOST_TEST(environment.out.find("secret") == std::string::npos, environment.out);
    for (const char* path : {"/etc/passwd", "/etc/shadow", "/root", "/home", "/var"}) {
        BOOST_TEST_CONTEXT(path) { ends(sh(std::string("test -e ") + path), run_end::exited, 1); }
    }
    ends(sh("test -e " + folder.string()), run_end::exited, 1);
    BOOST_TEST(sh("ls /proc | grep -c '^[0-9]'").out.size() == 2U);  // one digit of processes
    request.environment = {{"GIVEN", "a b"}};
    BOOST_TEST(sh("echo \"$GIVEN\"").out == "a b\n");
}

BOOST_FIXTURE_TEST_CASE(writes_into_its_folder_alone, room) {
    ends(sh("echo x > here && mkdir d && echo y > d/z"), run_end::exited, 0);
    BOOST_TEST(text_of(request.work / "here") == "x\n");
    for (const char* path : {"/x", "/usr/x", "/etc/x", "/dev/x", "/proc/x"}) {
        BOOST_TEST_CONTEXT(path) {
            const auto report = sh(std::string("echo x > ") + path);
            BOOST_TEST((report.end == run_end::exited && report.code != 0));
        }
    }
    ends(sh("echo x > /tmp/x && echo x > /dev/shm/x"), run_end::exited, 0);
    ends(sh("test -e /tmp/x"), run_end::exited, 1);  // gone with the sandbox before
}

BOOST_FIXTURE_TEST_CASE(cannot_change_what_it_reads, room) {
    std::ofstream(folder / "input") << "given";
    request.mounts = {{folder / "input", "/job/data/input.bin"}};
    const auto report =
        sh("cat data/input.bin; echo x > data/input.bin; echo x >> data/input.bin; "
           "rm -f data/input.bin; mv data/input.bin data/other; chmod 777 data/input.bin; "
           "cat data/input.bin");
    BOOST_TEST(report.out == "givengiven", report.out << report.err);
    ends(sh("echo y > data/output.bin"), run_end::exited, 0);
    BOOST_TEST(text_of(request.work / "data/output.bin") == "y\n");
    // The folder around it belongs to the program.
    ends(sh("mv data away && mkdir data && echo z > data/input.bin"), run_end::exited, 0);
    BOOST_TEST(text_of(folder / "input") == "given");
}

BOOST_FIXTURE_TEST_CASE(has_no_network, room) {
    const std::string script =
        "import socket\n"
        "for family in (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, socket.AF_PACKET):\n"
        "    try:\n"
        "        socket.socket(family, socket.SOCK_RAW if family == socket.AF_NETLINK else "
        "socket.SOCK_STREAM)\n"
        "        print('a socket')\n"
        "    except OSError as error:\n"
        "        print(error.errno)\n"
        "try:\n"
        "    socket.socketpair()\n"
        "    print('two sockets')\n"
        "except OSError as error:\n"
        "    print(error.errno)\n";
    request.command = {"python3", "-c", script};
    const auto none = run();
    BOOST_TEST(none.out == "97\n97\n97\n97\n97\n", none.out << none.err);  // EAFNOSUPPORT
    request.sockets = true;
    const auto own = run();
    BOOST_TEST(own.out == "97\n97\n97\n97\ntwo sockets\n", own.out << own.err);
    request.sockets = false;
    request.loopback = true;
    const auto local = run();
    BOOST_TEST(local.out == "a socket\n97\n97\n97\ntwo sockets\n", local.out << local.err);
    request.command.back() =
        "import socket\n"
        "a = socket.create_server(('127.0.0.1', 0))\n"
        "b = socket.create_connection(a.getsockname())\n"
        "b.send(b'hello')\n"
        "print(a.accept()[0].recv(9))\n"
        "try: socket.create_connection(('192.0.2.1', 80), 5)\n"
        "except OSError as error: print(error.errno)\n";
    const auto talk = run();
    BOOST_TEST(talk.out == "b'hello'\n101\n", talk.out << talk.err);  // ENETUNREACH
}

BOOST_FIXTURE_TEST_CASE(is_refused_rare_calls, room) {
    ends(sh("unshare -U true 2>/dev/null"), run_end::exited, 1);
    ends(sh("unshare -r true 2>/dev/null"), run_end::exited, 1);
    const auto report = python(
        "import ctypes\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "for call in (165, 250, 321, 425, 101, 319):\n"  // mount keyctl bpf io_uring ptrace memfd
        "    print(libc.syscall(call, 0, 0, 0, 0, 0), ctypes.get_errno())\n");
    BOOST_TEST(report.out == "-1 1\n-1 1\n-1 1\n-1 1\n-1 1\n-1 1\n", report.out << report.err);
    const auto rights = sh("id -u; grep -E '^(CapEff|CapPrm|NoNewPrivs)' /proc/self/status");
    BOOST_TEST((!rights.out.starts_with("0\n") || ::geteuid() != 0), rights.out);
    for (const char* line :
         {"CapPrm:\t0000000000000000\n", "CapEff:\t0000000000000000\n", "NoNewPrivs:\t1\n"})
        BOOST_TEST(rights.out.find(line) != std::string::npos, rights.out);
    ends(sh("python3 -c 'import threading; t = threading.Thread(target=print); t.start(); "
            "t.join()'"),
         run_end::exited, 0);
}

BOOST_FIXTURE_TEST_CASE(is_bounded, room) {
    const auto limits = request.limits;
    request.limits.seconds = 0.5;
    ends(sh("sleep 1000"), run_end::too_long);
    ends(sh("trap '' TERM INT HUP; while :; do :; done"), run_end::too_long);
    request.limits = limits;
    request.limits.processes = 40;
    ends(python("import os\nwhile True: os.fork()"), run_end::too_many_processes);
    ends(sh("f() { f | f & sleep 60; }; f"), run_end::too_many_processes);
    request.limits = limits;
    request.limits.memory_bytes = 300 << 20;
    ends(python("x = []\nwhile True: x.append(bytearray(10 ** 7))"), run_end::too_much_memory);
    ends(python("import os, time\nfor _ in range(8):\n"
                "    if os.fork() == 0:\n        x = bytearray(10 ** 8); time.sleep(60)\n"
                "time.sleep(60)"),
         run_end::too_much_memory);
    const auto full = sh("yes | head -c 200M > /dev/shm/x; yes | head -c 200M > /tmp/x");
    BOOST_TEST(full.err.find("No space left") != std::string::npos, full.err);
    request.limits = limits;
    request.limits.output_bytes = 1 << 20;
    const auto loud = sh("yes");
    ends(loud, run_end::too_much_output);
    BOOST_TEST((loud.out.size() >= 2 * 65536U && loud.out.size() <= 4 * 65536U), loud.out.size());
    ends(sh("yes >&2"), run_end::too_much_output);
    request.limits = limits;
    request.limits.file_bytes = 1 << 20;
    ends(sh("exec yes > large"), run_end::too_large_files);
    ends(sh("i=0; while :; do i=$((i+1)); yes | head -c 500K > f$i; done"),
         run_end::too_large_files);
    ends(python("i = 0\nwhile True:\n    open(str(i), 'w'); i += 1"), run_end::too_large_files);
}

BOOST_FIXTURE_TEST_CASE(leaves_nothing_behind, room) {
    ends(sh("sleep 98765 & setsid sleep 98765 & echo begun; exit 0"), run_end::exited, 0);
    BOOST_TEST(!runs_somewhere("sleep 98765"));
    request.limits.seconds = 0.3;
    ends(sh("sleep 98766 >/dev/null 2>&1 & setsid sleep 98766 & sleep 98766"), run_end::too_long);
    BOOST_TEST(!runs_somewhere("sleep 98766"));
}

BOOST_FIXTURE_TEST_CASE(many_at_once, room) {
    std::vector<std::thread> threads;
    std::vector<std::string> out(8);
    for (std::size_t i = 0; i < out.size(); ++i) {
        threads.emplace_back([&, i] {
            sandbox_request mine = request;
            mine.work = folder / std::to_string(i);
            fs::create_directories(mine.work);
            mine.command = {"sh", "-c", "for n in 1 2 3; do echo " + std::to_string(i) + "; done"};
            for (int round = 0; round < 5; ++round) {
                const auto report = opened->run(mine);
                out[i] += report ? report->out : report.error().message();
            }
        });
    }
    for (auto& thread : threads) thread.join();
    for (std::size_t i = 0; i < out.size(); ++i) {
        std::string wanted;
        for (int n = 0; n < 15; ++n) wanted += std::to_string(i) + "\n";
        BOOST_TEST(out[i] == wanted);
    }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_CASE(without_a_sandbox, room) {
    opened = sandbox::open(true);
    BOOST_REQUIRE(opened.is_ok());
    std::ofstream(folder / "input") << "given";
    request.mounts = {{folder / "input", "/job/data/input.bin"}};
    ::setenv("CUSET_SECRET", "secret", 1);
    const auto report = sh("cat data/input.bin; echo $CUSET_SECRET; exit 3");
    ends(report, run_end::exited, 3);
    BOOST_TEST(report.out == "given\n");
    request.limits.seconds = 0.3;
    ends(sh("sleep 98767 & sleep 98767"), run_end::too_long);
    // Nothing waits for the processes that are left when it ends.
    for (int tries = 0; tries < 500 && runs_somewhere("sleep 98767"); ++tries) ::usleep(10'000);
    BOOST_TEST(!runs_somewhere("sleep 98767"));
}
