#include "build/hip_program.h"

#include <algorithm>

#include "build/nvcc_command.h"
#include "cuset/host/hip.h"

namespace cuset {

bool is_hip_program(const program_source& source) {
    if (!source.command.empty()) {
        const auto command = read_nvcc_command(source.command, source.files);
        if (command && command->is_hip) return true;
    }
    return std::ranges::any_of(source.files,
                               [](const task_file& file) { return is_hip_source(file.content); });
}

}  // namespace cuset
