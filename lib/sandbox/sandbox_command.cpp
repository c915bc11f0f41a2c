#include "sandbox_command.h"

#include <filesystem>
#include <initializer_list>

namespace cuset {

namespace {

namespace fs = std::filesystem;

/// The system's programs and libraries, read-only. Links from / into /usr exist in the sandbox too.
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
    arguments.insert(arguments.end(), {"--perms", "0755", "--dir", "/etc"});
    for (const char* name : {"/etc/ld.so.cache", "/etc/alternatives"})
        arguments.insert(arguments.end(), {"--ro-bind-try", name, name});
}

/// Devices go by name, since a launcher may take the command to a machine with other devices.
void add_gpu(std::vector<std::string>& arguments) {
    constexpr int most_gpus = 32;
    std::vector<std::string> devices{"nvidiactl", "nvidia-uvm", "nvidia-uvm-tools",
                                     "nvidia-modeset", "nvidia-caps"};
    for (int i = 0; i < most_gpus; ++i) devices.push_back("nvidia" + std::to_string(i));
    for (const auto& device : devices)
        arguments.insert(arguments.end(), {"--dev-bind-try", "/dev/" + device, "/dev/" + device});
    arguments.insert(arguments.end(), {"--ro-bind-try", "/sys", "/sys"});
}

/// Processes cannot change what they see: /proc/self/mem would reach read-only code, and
/// oom_score_adj would make them the first to end when memory runs out. They see nothing of process
/// 1, which is bubblewrap, started outside.
void add_proc(std::vector<std::string>& arguments) {
    for (const char* word : {"--proc", "/proc", "--perms", "0555", "--size", "4096", "--tmpfs",
                             "/proc/1", "--remount-ro", "/proc/1", "--remount-ro", "/proc"})
        arguments.emplace_back(word);
}

/// A shared mapping of /dev/zero is memory that no process needs to have mapped.
void add_devices(const sandbox_request& request, std::vector<std::string>& arguments) {
    arguments.insert(arguments.end(), {"--dev", "/dev"});
    if (request.gpu) {
        add_gpu(arguments);
    } else {
        arguments.insert(arguments.end(), {"--dev-bind", "/dev/null", "/dev/zero"});
    }
}

/// A shell that sets the limit on processes, passes the gate, and becomes the program. The kernel
/// enforces that limit even if the supervisor is late.
std::string starter(const sandbox_request& request) {
    const std::string most = std::to_string(4 * request.limits.processes);
    const std::string gate = std::to_string(gate_descriptor);
    // dash's -p is bash's -u. The caller's own limit may be lower, and cannot be raised.
    std::string script = "{ ulimit -u " + most + " || ulimit -p " + most +
                         " || test \"$(ulimit -u || ulimit -p)\" -le " + most +
                         "; } 2>/dev/null || exit 126\n";
    if (request.launcher.empty())
        script +=
            "echo >&" + gate + " && read -r go <&" + gate + " || exit 126\nexec " + gate + ">&-\n";
    return script + "exec \"$@\"";
}

/// bubblewrap would give them the rights that they have outside; /root, for example, is closed.
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
                                           const sandbox_request& request,
                                           const std::string& user) {
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
    // With a launcher the shell does this, and keeps that machine's settings for its devices.
    if (request.launcher.empty()) add({"--clearenv"});
    add_system(a);
    add_proc(a);
    add_devices(request, a);
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
    add({"--seccomp", std::to_string(filter_descriptor), "--json-status-fd",
         std::to_string(info_descriptor), "--"});
    if (!user.empty()) add({"setpriv", "--reuid", user, "--regid", user, "--clear-groups"});
    add({"sh", "-c", starter(request), starter_name});
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
