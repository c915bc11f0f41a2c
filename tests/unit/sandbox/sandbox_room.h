// A work folder and a sandbox for each test.
#pragma once

#include <string>
#include <utility>

#include "cuset/sandbox/scratch_folder.h"
#include "room.h"

namespace cuset::sandbox_test {

/// A work folder, and the sandbox if this machine can make one.
struct room : own_folder {
    room() : opened(sandbox::open(false)) {
        fs::create_directories(folder / "work");
        request.work = folder / "work";
    }
    room(const room&) = delete;
    room& operator=(const room&) = delete;
    ~room() { scratch_folder::remove_tree(folder); }  // programs close folders

    run_report sh(const std::string& script) {
        request.command = {"sh", "-c", script};
        return run();
    }
    run_report python(const std::string& script) {
        request.command = {"python3", "-c", script};
        return run();
    }
    /// `script` with libc's system calls at hand: call(number, argument...) prints the error
    /// number, or 0.
    run_report calls(const std::string& script) {
        return python(
            "import ctypes, os, mmap\n"
            "libc = ctypes.CDLL(None, use_errno=True)\n"
            "def call(*words):\n"
            "    done = libc.syscall(*[ctypes.c_long(w) for w in words])\n"
            "    print(ctypes.get_errno() if done == -1 else 0)\n" +
            script);
    }
    run_report run() {
        BOOST_REQUIRE(opened.is_ok());
        auto report = opened->run(request);
        BOOST_REQUIRE(report.is_ok());
        return std::move(report).value();
    }

    result<sandbox> opened;
    sandbox_request request;
};

inline void ends(const run_report& report, run_end end, int code = 0) {
    BOOST_TEST((report.end == end && report.code == code),
               "end " << static_cast<int>(report.end) << ", code " << report.code << "\n"
                      << report.out << report.err);
}

inline bool runs_somewhere(const std::string& words) {
    for (const auto& process : fs::directory_iterator("/proc")) {
        std::string command = text_of(process.path() / "cmdline");
        for (char& c : command)
            if (c == '\0') c = ' ';
        if (command.starts_with(words)) return true;
    }
    return false;
}

}  // namespace cuset::sandbox_test
