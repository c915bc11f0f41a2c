// Runs before any code of the program, constructors included. The linker is asked for this symbol
// (lib/host/build/toolchain.cpp), so that a program has a runtime even if it calls none.
#include <cstdio>

#include "channel.h"
#include "cuset_host/device_memory.h"
#include "cuset_host/faults.h"
#include "settings.h"

extern "C" {

void cuset_host_start(int, char**, char** environment) {
    cuset_host::take_settings(environment);
    if (cuset_host::settings().is_shown) std::setvbuf(stdout, nullptr, _IOLBF, 0);
    cuset_host::note_heap();
    cuset_host::watch_addresses();
    cuset_host::open_channel();
}

__attribute__((section(".preinit_array"),
               used)) void (*const cuset_host_started)(int, char**, char**) = &cuset_host_start;
}
