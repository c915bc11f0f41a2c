// Attacks of programs on the sandbox: out of it, past its limits, and on its starter.
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "sandbox_room.h"

using namespace cuset;
using namespace cuset::sandbox_test;

BOOST_AUTO_TEST_SUITE(sandbox_attacks, *boost::unit_test::precondition(can_sandbox))

BOOST_FIXTURE_TEST_CASE(process_1_shows_nothing, room) {
    ::setenv("CUSET_SECRET", "secret", 1);
    const auto said =
        sh("cat /proc/1/environ /proc/1/cmdline /proc/1/task/1/environ /proc/1/maps; "
           "ls /proc/1 | wc -l; cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -c SECRET");
    BOOST_TEST(said.out == "0\n0\n", said.out);
    ends(python("open('/proc/1/mem', 'rb')"), run_end::exited, 1);
    // It cannot be brought back either.
    ends(sh("umount /proc/1 2>/dev/null || rmdir /proc/1 2>/dev/null || touch /proc/1/x"),
         run_end::exited, 1);
}

BOOST_FIXTURE_TEST_CASE(takes_no_descriptors_of_others, room) {
    const auto said = calls(
        "pidfd = libc.syscall(434, os.getppid(), 0)\n"
        "call(438, pidfd, 1, 0)\n"    // pidfd_getfd
        "call(312, 1, 2, 0, 0, 0)\n"  // kcmp
        "if pidfd > 0: os.close(pidfd)\n"
        "for f in range(3, 1024):\n"
        "    try: print('has', f, os.readlink('/proc/self/fd/%d' % f))\n"
        "    except OSError: pass\n");
    BOOST_TEST(said.out.starts_with("1\n1\n"), said.out << said.err);
    // ctypes has opened none; the gate, the filter and the sandbox's status are closed.
    BOOST_TEST(said.out.find("has") == std::string::npos, said.out);
}

BOOST_FIXTURE_TEST_CASE(changes_nothing_below_proc, room) {
    const auto said =
        sh("for f in oom_score_adj mem comm coredump_filter; do echo 0 2>&- >/proc/self/$f && echo "
           "$f; "
           "done; cat /proc/self/oom_score_adj");
    BOOST_TEST(said.out == "1000\n", said.out);
}

BOOST_FIXTURE_TEST_CASE(makes_no_memory_that_nobody_counts, room) {
    const auto said = calls(
        "call(319, 0, 0)\n"                   // memfd_create
        "call(447, 0)\n"                      // memfd_secret
        "call(300, 0, 0)\n"                   // fanotify_init
        "call(294, 0)\n"                      // inotify_init1: watches are the kernel's memory
        "call(46, 0, 0, 0)\n"                 // sendmsg
        "call(307, 0, 0, 0, 0)\n"             // sendmmsg
        "call(9, 0, 4096, 3, 0x21, -1, 0)\n"  // mmap: shared and anonymous
        "call(9, 0, 4096, 3, 0x23, -1, 0)\n"  // validated too
        "call(9, 0, 4096, 3, 0x22, -1, 0)\n"  // private
        "print(len(open('/dev/zero', 'rb').read(10)))\n");
    BOOST_TEST(said.out == "1\n1\n1\n1\n1\n1\n1\n1\n0\n0\n", said.out << said.err);
}

BOOST_FIXTURE_TEST_CASE(memory_of_files_and_sockets_counts, room) {
    request.limits.memory_bytes = 200 << 20;
    // Each has room for an eighth; names take memory too.
    ends(python("import os, time\ntry:\n    for i in range(400000):\n"
                "        os.close(os.open('/tmp/%d' % i, os.O_CREAT))\n"
                "except OSError: pass\ntime.sleep(60)"),
         run_end::too_much_memory);
    request.sockets = true;
    ends(python("import os, socket, time\nx = []\n"
                "for i in range(400):\n    x.append(socket.socketpair())\n"
                "time.sleep(60)"),
         run_end::too_much_memory);
    ends(python("import socket\nx = [socket.socketpair() for i in range(50)]"), run_end::exited, 0);
}

BOOST_FIXTURE_TEST_CASE(files_that_hide_count, room) {
    request.limits.file_bytes = 8 << 20;
    const auto anew = [&](const std::string& script) {
        request.work += '+';  // what was closed in the one before stays closed
        fs::create_directories(request.work);
        return python(script);
    };
    // In a folder that its owner may not read.
    ends(anew("import os, time\nos.mkdir('d')\n"
              "for i in range(4): open('d/%d' % i, 'wb').write(b'x' * (4 << 20))\n"
              "os.chmod('d', 0)\nos.chmod('.', 0)\ntime.sleep(60)"),
         run_end::too_large_files);
    // In one that can be listed, and whose files cannot be looked at.
    const std::string files =
        "import ctypes, os, time\nlibc = ctypes.CDLL(None)\n"
        "def files(folder):\n"
        "    return [os.open(f'{folder}/{i}', os.O_CREAT | os.O_WRONLY) for i in range(16)]\n"
        "def fill(opened):\n"
        "    for f in opened: os.write(f, b'x' * (1 << 20))\n"
        "    time.sleep(20)\n";
    ends(anew(files + "os.mkdir('l')\nf = files('l')\nos.chmod('l', 0o400)\nfill(f)"),
         run_end::too_large_files);
    // Closed again as fast as it is opened, twenty times on the way.
    ends(anew(files +
              "path, folders = 'n', []\n"
              "for i in range(20):\n"
              "    os.mkdir(path); folders.append(os.open(path, os.O_RDONLY)); path += '/n'\n"
              "f = files(path[:-2])\n"
              "if os.fork() == 0:\n"
              "    while True:\n"
              "        for x in reversed(folders): os.fchmod(x, 0)\n"
              "fill(f)"),
         run_end::too_large_files);
    // Open in a process that shows its descriptors to root alone.
    ends(anew(files + "libc.prctl(4, 0, 0, 0, 0)\nos.mkdir('u')\nf = files('u')\n"
                      "for i in range(16): os.unlink(f'u/{i}')\nfill(f)"),
         run_end::too_large_files);
    // Without a name.
    ends(python("import os, time\nx = []\n"
                "for i in range(8):\n"
                "    f = open('big', 'w+b'); f.write(b'x' * (4 << 20)); f.flush()\n"
                "    x.append(f); os.unlink('big')\n"
                "time.sleep(60)"),
         run_end::too_large_files);
    // All of a disk at once.
    const auto written = python(
        "import os\nf = os.open('big', os.O_RDWR | os.O_CREAT)\n"
        "os.posix_fallocate(f, 0, 1 << 20)\nprint(os.fstat(f).st_blocks * 512 >= 1 << 20)\n");
    BOOST_TEST(written.out == "True\n", written.out << written.err);
    const auto refused = calls("call(285, os.open('f', os.O_RDWR | os.O_CREAT), 0, 0, 1 << 40)\n");
    BOOST_TEST(refused.out == "95\n", refused.out << refused.err);  // EOPNOTSUPP
    // Without a name, and without a descriptor.
    ends(anew("import mmap, os, time\nx = []\n"
              "for i in range(8):\n"
              "    f = open('big', 'w+b'); f.write(b'x' * (4 << 20)); f.flush()\n"
              "    x.append(mmap.mmap(f.fileno(), 4096)); f.close(); os.unlink('big')\n"
              "time.sleep(60)"),
         run_end::too_large_files);
}

BOOST_FIXTURE_TEST_CASE(memory_counts_whoever_holds_it, room) {
    request.limits.memory_bytes = 200 << 20;
    request.limits.seconds = 20;
    // The first thread has ended, and with it what /proc/PID says of memory and descriptors.
    const std::string first_ends =
        "import threading, time\nthreading.Thread(target=work).start()\nlibc.syscall(60, 0)\n";
    ends(calls("def work():\n    time.sleep(0.2); x = bytearray(400 << 20); time.sleep(60)\n" +
               first_ends),
         run_end::too_much_memory);
    request.limits.file_bytes = 8 << 20;
    ends(calls("def work():\n    f = [open('x%d' % i, 'wb') for i in range(16)]\n"
               "    time.sleep(0.2)\n    for i in range(16): os.unlink('x%d' % i)\n"
               "    for x in f: x.write(b'x' * (1 << 20)); x.flush()\n"
               "    time.sleep(60)\n" +
               first_ends),
         run_end::too_large_files);
    request.limits.file_bytes = sandbox_limits().file_bytes;
    // From one process to the next, each of which lives for some microseconds.
    std::ofstream(request.work / "relay.c") << R"(
        #define _GNU_SOURCE
        #include <sched.h>
        #include <stdlib.h>
        #include <sys/mman.h>
        #include <unistd.h>
        static char* memory;
        static size_t used;
        static char stacks[64][1 << 16] __attribute__((aligned(16)));
        static int turn;
        static int next(void* nothing) {
            for (int i = 0; i < 64 && used < 400 << 20; ++i, used += 4096) memory[used] = 1;
            turn = (turn + 1) % 64;
            clone(next, stacks[turn] + sizeof stacks[0], CLONE_VM | CLONE_FILES | CLONE_FS, 0);
            _exit(0);
        }
        int main() {
            memory = mmap(0, 400 << 20, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (fork() == 0) next(0);
            munmap(memory, 400 << 20);
            sleep(60);
        })";
    ends(sh("gcc -w -O1 -fno-stack-protector relay.c -o relay && exec ./relay"),
         run_end::too_much_memory);
}

BOOST_FIXTURE_TEST_CASE(has_no_descriptors_beside_its_process, room) {
    const auto said = calls(
        "call(56, 0x10900, 0, 0, 0, 0)\n"  // clone: a thread with descriptors of its own
        "call(436, 3, 0xffffffff, 2)\n"    // close_range: unshared
        "call(436, 500, 600, 0)\n"         // as Python has it
        "call(317, 1, 8, 0)\n"             // seccomp: a listener, which adds descriptors
        "call(302, 1, 7, 0, 0)\n"          // prlimit64 of process 1
        "call(302, 0, 7, 0, 0)\n"          // of itself
        "call(206, 1, 0)\n");              // io_setup
    BOOST_TEST(said.out == "1\n1\n0\n1\n1\n0\n1\n", said.out << said.err);
}

BOOST_FIXTURE_TEST_CASE(limits_that_the_caller_has_not, room) {
    rlimit before{};
    ::getrlimit(RLIMIT_MEMLOCK, &before);
    const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
    ::setrlimit(RLIMIT_MEMLOCK, &none);
    const auto said = python(
        "import resource as r\n"
        "for kind in (r.RLIMIT_MEMLOCK, 13, 14): print(r.getrlimit(kind))\n");  // NICE, RTPRIO
    ::setrlimit(RLIMIT_MEMLOCK, &before);
    BOOST_TEST(said.out == "(0, 0)\n(0, 0)\n(0, 0)\n", said.out << said.err);
}

BOOST_FIXTURE_TEST_CASE(sockets_that_nobody_accepts_count, room) {
    request.limits.memory_bytes = 80 << 20;
    request.sockets = true;
    ends(python("import socket, time\nl = socket.socket(socket.AF_UNIX)\n"
                "l.bind('\\0l')\nl.listen(4096)\n"
                "for i in range(300):\n"
                "    s = socket.socket(socket.AF_UNIX); s.connect('\\0l')\n"
                "    s.setblocking(False); s.send(b'x' * 100000); s.close()\n"
                "time.sleep(20)"),
         run_end::too_much_memory);
    // What is sent stays, ten and more in one socket.
    const auto said = python(
        "import socket\nfor kind in (socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_STREAM):\n"
        "    for make in (socket.socket, socket.socketpair):\n"
        "        try: print(bool(make(socket.AF_UNIX, kind)))\n"
        "        except OSError as e: print(e.errno)\n");
    BOOST_TEST(said.out == "97\n97\n97\n97\nTrue\nTrue\n", said.out << said.err);
}

BOOST_FIXTURE_TEST_CASE(takes_back_what_it_has_printed, room) {
    // Between the supervisor's poll and its read, which must not wait for more.
    std::ofstream(request.work / "thief.c") << R"(
        #include <fcntl.h>
        #include <signal.h>
        #include <stdlib.h>
        #include <time.h>
        #include <unistd.h>
        int main() {
            int from = open("/proc/self/fd/1", O_RDONLY), thieves[3];
            if (from < 0) return 0;  // another user's
            for (int i = 0; i < 3; ++i)
                if ((thieves[i] = fork()) == 0) {
                    char byte;
                    close(1);
                    for (;;) read(from, &byte, 1);
                }
            close(from);
            for (time_t end = time(0) + 3; time(0) < end;) {
                write(1, "x", 1);
                for (volatile int i = 0; i < rand() % 20000; ++i) {
                }
            }
            for (int i = 0; i < 3; ++i) kill(thieves[i], SIGKILL);
            sleep(8);
        })";
    ends(sh("gcc -w -O1 thief.c -o thief"), run_end::exited);
    request.limits.seconds = 4;
    for (int round = 0; round < 3; ++round) {
        const auto said = sh("exec ./thief");
        BOOST_TEST((said.seconds < 6 && (said.code == 0)), said.seconds);
    }
}

BOOST_FIXTURE_TEST_CASE(libraries_are_found_in_the_cache, room) {
    const auto said = sh("stat -c %a /etc; /usr/sbin/ldconfig -p | head -1 | grep -c libs");
    BOOST_TEST(said.out == "755\n1\n", said.out << said.err);
}

BOOST_FIXTURE_TEST_CASE(a_lower_limit_of_processes_stays, room) {
    BOOST_REQUIRE(opened.is_ok());
    const pid_t child = ::fork();
    if (child == 0) {
        const rlimit low{500, 500};
        if (::setrlimit(RLIMIT_NPROC, &low) != 0) ::_exit(2);
        request.command = {"sh", "-c", "exit 7"};
        const auto report = opened->run(request);
        ::_exit(report && report->end == run_end::exited && report->code == 7 ? 0 : 1);
    }
    int status = -1;
    BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
    BOOST_TEST((WIFEXITED(status) && WEXITSTATUS(status) == 0), status);
}

BOOST_FIXTURE_TEST_CASE(a_channel_to_the_evaluator, room) {
    request.channel = true;
    const auto said =
        sh("echo told >&7; echo out; ( echo more >&7 ) ; echo x >/proc/self/fd/7; exit 3");
    ends(said, run_end::exited, 3);
    BOOST_TEST((said.channel_output == "told\nmore\n" && said.out == "out\n"),
               said.channel_output << said.out);
    BOOST_TEST(said.err.find("/proc/self/fd/7") != std::string::npos, said.err);
    const auto much = sh("yes | head -c 20M >&7; echo out");
    ends(much, run_end::exited, 0);
    BOOST_TEST(much.channel_output.size() == 8U << 20);
    request.channel = false;
    ends(sh("test -e /proc/self/fd/7"), run_end::exited, 1);
}

BOOST_FIXTURE_TEST_CASE(a_channel_is_asked_when_the_time_ends, room) {
    request.channel = true;
    request.limits.seconds = 0.5;
    const auto said = sh("read x <&7; echo got $x >&7; echo ending >&7; exec sleep 1000");
    BOOST_TEST((said.end == run_end::too_long));
    BOOST_TEST(said.channel_output == "got ending\nending\n");
    ends(sh("exec sleep 1000"), run_end::too_long, 0);  // one that does not answer
}

BOOST_FIXTURE_TEST_CASE(a_channel_behind_a_launcher, room) {
    request.channel = true;
    request.launcher = {"env"};
    const auto said = sh("echo told >&7; echo out");
    ends(said, run_end::exited, 0);
    BOOST_TEST((said.channel_output == "told\n" && said.out == "out\n"),
               said.channel_output << said.out << said.err);
}

BOOST_AUTO_TEST_SUITE_END()
