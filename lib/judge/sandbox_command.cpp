#include "sandbox_command.h"

#include <filesystem>
#include <initializer_list>

namespace cuset {

namespace {

namespace fs = std::filesystem;

constexpr const char* search_path = "/usr/local/cuda/bin:/usr/local/bin:/usr/bin:/bin";

/// The system's programs and libraries, read-only; where / has links into /usr, so has the sandbox.
void add_system(std::vector<std::string>& arguments) {
    arguments.insert(arguments.end(), {"--ro-bind", "/usr", "/usr"});
    std::error_code error;
    for (const char* name : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) {
        if (fs::is_symlink(name, error)) {
            const std::string target = fs::read_symlink(name, error).string();
            arguments.insert(arguments.end(), {"--symlink", target, name});
        } else {
            arguments.insert(arguments.end(), {"--ro-bind-try", name, name});
        }
    }
    for (const char* name : {"/etc/ld.so.cache", "/etc/alternatives"})
        arguments.insert(arguments.end(), {"--ro-bind-try", name, name});
}

/// By name, since a launcher may take the command to a machine that has other devices.
void add_gpu(std::vector<std::string>& arguments) {
    constexpr int most_gpus = 32;
    std::vector<std::string> devices{"nvidiactl", "nvidia-uvm", "nvidia-uvm-tools",
                                     "nvidia-modeset", "nvidia-caps"};
    for (int i = 0; i < most_gpus; ++i) devices.push_back("nvidia" + std::to_string(i));
    for (const auto& device : devices)
        arguments.insert(arguments.end(), {"--dev-bind-try", "/dev/" + device, "/dev/" + device});
    arguments.insert(arguments.end(), {"--ro-bind-try", "/sys", "/sys"});
}

/// bubblewrap would make them as closed as they are outside, such as /root.
void add_folders_above(const fs::path& place, std::vector<std::string>& arguments) {
    if (*place.lexically_relative("/job").begin() != "..") return;  // the work folder has them
    fs::path folder;
    for (const auto& part : place.parent_path()) {
        folder /= part;
        if (folder != "/") arguments.insert(arguments.end(), {"--dir", folder.string()});
    }
}

}  // namespace

std::vector<std::string> sandboxed_command(const std::string& bubblewrap,
                                           const sandbox_request& request, const std::string& user,
                                           int filter, int info) {
    std::vector<std::string> a{bubblewrap};
    const auto add = [&](std::initializer_list<std::string> more) {
        a.insert(a.end(), more.begin(), more.end());
    };
    const std::string memory_folder = std::to_string(request.limits.memory_bytes / 8);
    if (user.empty()) {
        add({"--unshare-all", "--cap-drop", "ALL"});
    } else {
        add({"--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts",
             "--unshare-cgroup-try", "--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add",
             "CAP_SETGID"});
    }
    add({"--die-with-parent", "--new-session", "--hostname", "sandbox"});
    // Behind a launcher the shell does this, and keeps what the machine there says of its devices.
    if (request.launcher.empty()) add({"--clearenv"});
    add_system(a);
    add({"--proc", "/proc", "--dev", "/dev"});
    if (request.gpu) add_gpu(a);
    for (const char* folder : {"/dev/shm", "/tmp"})
        add({"--perms", "1777", "--size", memory_folder, "--tmpfs", folder});
    add({"--remount-ro", "/dev"});
    add({"--bind", request.work.string(), "/job", "--chdir", "/job"});
    for (const auto& mount : request.mounts) add_folders_above(mount.inside, a);
    for (const auto& mount : request.mounts)
        add({mount.writable ? "--bind" : "--ro-bind", mount.host.string(), mount.inside.string()});
    add({"--remount-ro", "/", "--setenv", "PATH", search_path, "--setenv", "HOME", "/tmp",
         "--setenv", "TMPDIR", "/tmp", "--setenv", "LANG", "C.UTF-8"});
    for (const auto& [name, value] : request.environment) add({"--setenv", name, value});
    add({"--seccomp", std::to_string(filter), "--json-status-fd", std::to_string(info), "--"});
    if (!user.empty()) add({"setpriv", "--reuid", user, "--regid", user, "--clear-groups"});
    // The supervisor may be late where many processes want the processor; the kernel is not.
    add({"prlimit", "--nproc=" + std::to_string(4 * request.limits.processes), "--"});
    a.insert(a.end(), request.command.begin(), request.command.end());
    return a;
}

std::vector<std::string> bare_command(const sandbox_request& request) {
    std::vector<std::string> a{"env", "-i", std::string("PATH=") + search_path, "HOME=/tmp",
                               "LANG=C.UTF-8"};
    for (const auto& [name, value] : request.environment) a.push_back(name + '=' + value);
    a.insert(a.end(), request.command.begin(), request.command.end());
    return a;
}

}  // namespace cuset
