#include "cuset/host/build/toolchain.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>

#include "build/cuda_headers.h"
#include "cuset/base/log.h"
#include "cuset/base/sha256.h"
#include "cuset/host/build/compiler_messages.h"
#include "cuset/host/runtime_files.h"
#include "cuset/sandbox/file_text.h"
#include "cuset/sandbox/program_path.h"
#include "cuset/sandbox/scratch_folder.h"
#include "cuset/sandbox/text_lines.h"
#include "cuset/stream/json_text.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

constexpr const char* archive = "libcuset_host.a";
constexpr const char* library_archive = "libcuset_host_libraries.a";
constexpr std::string_view assembler_sources = "costs/assembler/";
constexpr const char* assembler = "as";                       // as g++ calls it, by -B
constexpr std::string_view library_sources = "libraries/cu";  // cuBLAS, cuFFT, cuSOLVER, cuSPARSE
constexpr const char* header = "include/cuset_host/program.h";
constexpr const char* precompiled = "include/cuset_host/program.h.gch";
constexpr const char* sizes_file = "sizes";
/// Sums of CUDA's libraries do not depend on whether the processor has fused multiply-adds.
constexpr const char* same_sums_flag = "-ffp-contract=off";
constexpr const char* alignment_flag = "-Wp,-fsanitize=alignment";

/// A trusted command's exit and output.
struct command_end {
    bool succeeded = false;
    std::string out, messages;
};

result<command_end> run_plainly(std::vector<std::string> words, const fs::path& work) {
    CUSET_ASSIGN(const sandbox plain, sandbox::open(true));
    sandbox_request request;
    request.command = std::move(words);
    request.work = work;
    request.limits = {.seconds = 600, .file_bytes = UINT64_MAX};
    CUSET_ASSIGN(const run_report report, plain.run(request));
    return command_end{report.succeeded(), report.out, report.err + report.out};
}

/// Differs where an update has put other headers into the place of these. PyPI's three packages are
/// updated one by one.
std::string times_of_headers(const fs::path& include) {
    std::string times;
    for (const char* const name : {"cuda_runtime_api.h", "crt/host_defines.h", "cuda/std/version",
                                   "cccl/cuda/std/version"}) {
        std::error_code error;
        const auto written = fs::last_write_time(include / name, error);
        if (!error) times += ' ' + std::to_string(written.time_since_epoch().count());
    }
    return times;
}

/// Whether a source is the part of a library whose header is not there: no program can include it
/// either. A toolkit may lack some.
bool lacks_header(std::string_view source, const fs::path& include) {
    for (const auto& [beginning, name] : {std::pair{"libraries/cublas", "cublasLt.h"},
                                          {"libraries/cufft", "cufft.h"},
                                          {"libraries/cusolver", "cusolverDn.h"},
                                          {"libraries/cusparse", "cusparse.h"}}) {
        std::error_code error;
        if (source.starts_with(beginning)) return !fs::exists(include / name, error);
    }
    return false;
}

bool is_of_system(const fs::path& path) { return path.native().starts_with("/usr/"); }

/// Takes 12 from "12.2.0".
int major_version(const std::string& version) { return std::atoi(version.c_str()); }

bool has_wide_vectors() {
#ifdef __x86_64__
    return __builtin_cpu_supports("x86-64-v3") != 0;
#else
    return false;
#endif
}

}  // namespace

result<host_compiler> host_compiler::find(const fs::path& toolkit) {
    host_compiler found;
    found.program = program_in_path("g++");
    if (found.program.empty())
        return unsupported("g++ is not installed, and the host backend compiles programs with it");
    for (const auto& [flag, to] :
         {std::pair{"-dumpfullversion", &found.version}, std::pair{"--version", &found.build}}) {
        CUSET_ASSIGN(const command_end messages, run_plainly({found.program.string(), flag}, "/"));
        *to = first_line(messages.out);
        if (!messages.succeeded || to->empty())
            return unsupported(found.program.string() + " does not tell its version");
    }
    CUSET_ASSIGN(cuda_headers headers, find_cuda_headers(toolkit));
    found.cuda = std::move(headers.root);
    found.cuda_include = std::move(headers.include);
    found.cuda_version = std::move(headers.version);
    return found;
}

/// The libraries' entry of the cache, once a program has needed it.
struct host_toolchain::library_part {
    std::mutex mutex;
    fs::path folder;
    std::shared_ptr<const held_entry> hold;
};

host_toolchain::host_toolchain(host_compiler found, const options& wanted, const entry_cache& cache)
    : found_(std::move(found)),
      options_(wanted),
      cache_(cache),
      libraries_(std::make_shared<library_part>()) {
    // CUDA programs read one type through another (float4 for floats) and let integers overflow,
    // which device code tolerates.
    flags_ = {"-std=" + wanted.standard, "-O2", "-fno-strict-aliasing", "-fwrapv", "-fPIE"};
    if (wanted.variant == host_variant::plain) {
        flags_.emplace_back("-w");
        // Loops over threads are vectorised (thread_rows.h). Device code neither sets errno nor
        // raises exceptions, and none of these changes a result.
        for (const char* flag : {"-O3", "-fno-math-errno", "-fno-trapping-math"})
            program_flags_.emplace_back(flag);
    }
    // A function that ends without its return value comes back, as it does from nvcc's host code,
    // which is not optimised by default: without these g++ lets it run into what follows.
    // The compiler proper gets such flags, since for the driver they would mean a library: what
    // they call is the runtime's (checks/alignment.cpp).
    program_flags_.emplace_back("-Wp,-fsanitize=unreachable");
    if (wanted.variant == host_variant::checked) program_flags_.emplace_back(alignment_flag);
    if (wanted.variant == host_variant::searched) {
        for (const char* flag : {"-DCUSET_HOST_RACES", "-g1", "-w"}) flags_.emplace_back(flag);
        for (const char* flag :
             {"-Wp,-fsanitize=thread", "-O1", "--param", "tsan-distinguish-volatile=1", "--param",
              "tsan-instrument-func-entry-exit=0"})
            program_flags_.emplace_back(flag);
    }
    if (wanted.variant == host_variant::counted) {
        for (const char* flag : {"-DCUSET_HOST_COUNT", "-g1", "-w"}) flags_.emplace_back(flag);
        // An operation of a thread stays one of its own, calls of pow, sin and cos stay what they
        // are, accesses call the runtime, and the counters have two registers
        // (costs/assembler/instrumentation.h).
        for (const char* flag :
             {"-fno-tree-vectorize", "-fno-tree-slp-vectorize", "-fno-math-errno",
              "-fno-trapping-math", "-Wp,-fsanitize=thread", "--param",
              "tsan-instrument-func-entry-exit=0", "-ffixed-r10", "-ffixed-r11",
              "-fdisable-tree-sincos", "-fno-builtin-pow", "-fno-builtin-powf",
              // A switch would be a table of constants.
              "-fno-tree-switch-conversion",
              // Between its loops %r10 would hold the frame.
              "-fno-stack-clash-protection",
              // Of a kernel that is launched from two places, the second one's code would be the
              // first one's without its lines, by which code of the program is known.
              "-fno-ipa-icf"})
            program_flags_.emplace_back(flag);
    }
    if (!wanted.portable && has_wide_vectors()) flags_.emplace_back("-march=x86-64-v3");
    if (wanted.variant == host_variant::checked) {
        for (const char* flag : {"-DCUSET_HOST_CHECK", "-g1", "-fno-omit-frame-pointer"})
            flags_.emplace_back(flag);
        // These flags are for programs only: their accesses call the runtime.
        for (const char* flag :
             {"-fsanitize=address", "--param", "asan-instrumentation-with-call-threshold=0",
              "-fsanitize-sections=cuset_managed"})  // of __managed__ variables
            program_flags_.emplace_back(flag);
        // Local variables start with a value that no program expects; g++ warns if one is not set.
        for (const char* flag :
             {"-ftrivial-auto-var-init=pattern", "-Wuninitialized", "-Wmaybe-uninitialized"})
            if (major_version(found_.version) >= 12) program_flags_.emplace_back(flag);
    }
    key_ = "host " + hexadecimal(host_runtime_hash()) + '\n' + found_.program.string() + '\n' +
           found_.build + '\n' + found_.cuda_include.string() + '\n' + found_.cuda_version +
           times_of_headers(found_.cuda_include) + '\n' + same_sums_flag + '\n';
    for (const auto& flag : flags_) key_ += flag + '\n';
    for (const auto& flag : program_flags_) key_ += flag + '\n';
}

namespace {

/// Lists the sizes of a folder's files that take long to make. After a crash of the machine, files
/// may lack bytes.
std::string sizes_in(const fs::path& folder) {
    std::string text;
    for (const char* name : {archive, library_archive, precompiled}) {
        std::error_code error;
        const auto size = fs::file_size(folder / name, error);
        if (!error) text += std::to_string(size) + ' ' + name + '\n';
    }
    return text;
}

bool is_whole(const fs::path& folder) {
    const std::string sizes = sizes_in(folder);
    return !sizes.empty() && text_of(folder / sizes_file) == sizes;
}

status write_texts(const fs::path& folder) {
    std::error_code error;
    for (const auto& file : runtime_files()) {
        const fs::path place = folder / file.path;
        fs::create_directories(place.parent_path(), error);
        if (error) return io_error(place.string(), error.value());
        CUSET_TRY(write_text(place, file.text));
    }
    // Files must be readable for the user that runs programs, whatever the umask is.
    for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
         at.increment(error))
        fs::permissions(at->path(), fs::perms(at->is_directory() ? 0755 : 0644), error);
    return error ? io_error(folder.string(), error.value()) : status();
}

/// An entry of the cache: where it is, and its hold.
using kept_folder = std::pair<fs::path, std::shared_ptr<const held_entry>>;

/// The entry of that key, which `build` makes in a folder of its own where it is missing.
result<kept_folder> kept_once(const entry_cache& cache, const std::string& name,
                              const std::string& key, const char* what,
                              const std::function<status(const fs::path&)>& build) {
    const fs::path place = cache.folder() / (name + sha256(what).add(key).end().hexadecimal());
    if (auto hold = held_entry::take(place, key); hold && is_whole(place))
        return kept_folder(place, std::move(hold));
    log(log_level::note,
        "compiling the host backend's " + std::string(what) + " first, which is kept");
    CUSET_ASSIGN(scratch_folder partial, scratch_folder::make(cache.folder()));
    CUSET_TRY(write_text(partial.path() / "key", key));
    CUSET_TRY(build(partial.path()));
    CUSET_TRY(write_text(partial.path() / sizes_file, sizes_in(partial.path())));
    CUSET_ASSIGN(auto hold, cache.put(std::move(partial), place, key, is_whole));
    return kept_folder(place, std::move(hold));
}

}  // namespace

result<host_toolchain> host_toolchain::open(host_compiler found, const options& wanted,
                                            const entry_cache& cache) {
    host_toolchain made(std::move(found), wanted, cache);
    if (wanted.variant == host_variant::searched) {
        CUSET_ASSIGN(
            const command_end place,
            run_plainly({made.found_.program.string(), "-print-file-name=libbacktrace.a"}, "/"));
        if (place.out.starts_with('/')) made.lines_archive_ = first_line(place.out);
        made.key_ += made.lines_archive_ + '\n';
    }
    CUSET_ASSIGN(kept_folder kept,
                 kept_once(cache, "host-", made.key_, "runtime",
                           [&](const fs::path& folder) { return made.build(folder); }));
    std::tie(made.folder_, made.hold_) = std::move(kept);
    if (wanted.variant == host_variant::searched || wanted.variant == host_variant::counted) {
        options plain = wanted;
        plain.variant = host_variant::plain;
        made.of_libraries_.reset(new host_toolchain(made.found_, plain, cache));
        made.of_libraries_->folder_ = made.folder_;
    }
    return made;
}

result<fs::path> host_toolchain::libraries() const {
    if (of_libraries_ != nullptr) return of_libraries_->libraries();
    const std::lock_guard lock(libraries_->mutex);
    if (!libraries_->hold) {
        CUSET_ASSIGN(
            kept_folder kept,
            kept_once(cache_, "host-libraries-", key_, "libraries", [&](const fs::path& folder) {
                return compile(folder_, folder, library_archive, {});
            }));
        std::tie(libraries_->folder, libraries_->hold) = std::move(kept);
    }
    return libraries_->folder;
}

std::vector<std::string> host_toolchain::include_words(const fs::path& folder) const {
    // The C++ libraries have a folder of their own, which nvcc adds too.
    return {"-I" + (folder / "include").string(), "-isystem", found_.cuda_include.string(),
            "-isystem", (found_.cuda_include / "cccl").string()};
}

status host_toolchain::build(const fs::path& folder) const {
    CUSET_TRY(write_texts(folder));
    std::vector<std::string> header_words = program_flags_;
    for (const char* word : {"-x", "c++-header", header, "-o", precompiled})
        header_words.emplace_back(word);
    CUSET_TRY(compile(folder, folder, archive, {header_words}));
    std::error_code error;
    fs::permissions(folder / precompiled, fs::perms(0644), error);
    return options_.variant == host_variant::counted ? build_assembler(folder) : status();
}

status host_toolchain::build_assembler(const fs::path& folder) const {
    std::vector<std::string> words{found_.program.string(), "-std=c++17", "-O2",
                                   "-DCUSET_HOST_FOLDER=\"" + folder.string() + '"'};
    for (const auto& file : runtime_files())
        if (file.path.starts_with(assembler_sources) && file.path.ends_with(".cpp"))
            words.push_back((folder / file.path).string());
    for (const char* word : {"-o", assembler}) words.emplace_back(word);
    CUSET_ASSIGN(const command_end built, run_plainly(words, folder));
    if (!built.succeeded)
        return unsupported("g++ does not compile the assembler that counts: " +
                           first_diagnostic(built.messages));
    std::error_code error;
    fs::permissions(folder / assembler, fs::perms(0755), error);
    return {};
}

status host_toolchain::compile(const fs::path& runtime, const fs::path& folder, const char* made,
                               std::vector<std::vector<std::string>> jobs) const {
    std::vector<std::string> objects;
    for (const auto& file : runtime_files()) {
        if (!file.path.ends_with(".cpp") || file.path.starts_with(assembler_sources) ||
            file.path.starts_with(library_sources) != (made == library_archive) ||
            lacks_header(file.path, found_.cuda_include))
            continue;
        objects.push_back("object" + std::to_string(objects.size()) + ".o");
        // The runtime's folders include each other's headers by their paths from its root.
        jobs.push_back({"-iquote", runtime.string(), "-c", (runtime / file.path).string(), "-o",
                        objects.back()});
        if (made == library_archive) jobs.back().insert(jobs.back().begin(), same_sums_flag);
    }
    for (auto& job : jobs) {
        std::vector<std::string> words{found_.program.string()};
        words.insert(words.end(), flags_.begin(), flags_.end());
        for (auto& word : include_words(runtime)) words.push_back(std::move(word));
        words.insert(words.end(), job.begin(), job.end());
        job = std::move(words);
    }
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    status failed;
    const auto work = [&] {
        for (std::size_t job = next++; job < jobs.size(); job = next++) {
            const auto done = run_plainly(jobs[job], folder);
            if (done && done->succeeded) continue;
            const std::lock_guard lock(mutex);
            next = jobs.size();
            failed = done ? unsupported("g++ does not compile the host runtime: " +
                                        first_diagnostic(done->messages))
                          : status(done.error());
        }
    };
    std::vector<std::thread> threads;
    for (int i = 1; i < std::min<int>(options_.threads, static_cast<int>(jobs.size())); ++i)
        threads.emplace_back(work);
    work();
    for (auto& thread : threads) thread.join();
    CUSET_TRY(failed);
    std::vector<std::string> pack{"ar", "rcs", made};
    pack.insert(pack.end(), objects.begin(), objects.end());
    CUSET_ASSIGN(const command_end packed, run_plainly(pack, folder));
    if (!packed.succeeded)
        return unsupported("ar does not pack the host runtime: " +
                           first_diagnostic(packed.messages));
    std::error_code error;
    for (const auto& object : objects) fs::remove(folder / object, error);
    fs::permissions(folder / made, fs::perms(0644), error);
    return {};
}

std::vector<std::string> program_includes(const std::vector<std::string>& headers,
                                          bool is_host_source) {
    std::vector<std::string> all{is_host_source ? "cuset_host/host_source.h"
                                                : "cuset_host/program.h"};
    if (headers.empty()) return all;
    all.emplace_back("cuset_host/reading_toolkit.h");
    all.insert(all.end(), headers.begin(), headers.end());
    all.emplace_back("cuset_host/reading_program.h");
    return all;
}

std::vector<std::string> host_toolchain::words(const std::vector<std::string>& more,
                                               const std::vector<std::string>& includes,
                                               const std::vector<std::string>& sources,
                                               const fs::path& libraries, bool may_misalign,
                                               bool tells_conversions) const {
    std::vector<std::string> words{found_.program.string()};
    const auto add = [&](const std::vector<std::string>& some) {
        words.insert(words.end(), some.begin(), some.end());
    };
    // In position-independent programs the heap lies where no integer looks like an address.
    add(flags_);
    add(program_flags_);
    if (tells_conversions) {
        std::erase(words, "-w");
        add({"-Wfloat-conversion", "-fdiagnostics-column-unit=byte"});
    }
    add(include_words(folder_));
    if (options_.variant == host_variant::counted) {
        words.push_back("-B" + folder_.string() + '/');
        words.emplace_back("-rdynamic");  // instances of kernels are told by their symbols
    }
    if (may_misalign && options_.variant != host_variant::checked)
        words.emplace_back(alignment_flag);
    add(more);
    add({"-pie", "-fmax-errors=10", "-fno-diagnostics-show-caret", "-x", "c++"});
    for (const auto& each : includes) add({"-include", each});
    add(sources);
    add({"-o", "program"});
    if (!libraries.empty()) add({"-L" + libraries.string(), "-lcuset_host_libraries"});
    // The runtime must start before the program, even if the program calls none of its functions.
    add({"-L" + folder_.string(), "-Wl,-u,cuset_host_start", "-lcuset_host", "-lpthread"});
    if (!lines_archive_.empty())
        add({"-Wl,-u,backtrace_create_state,-u,backtrace_pcinfo", "-x", "none", lines_archive_});
    return words;
}

std::string host_toolchain::flag_for_hip() const {
    return "-I" + (folder_ / "hip_include").string();
}

std::vector<sandbox_mount> host_toolchain::mounts(const fs::path& libraries) const {
    std::vector<sandbox_mount> mounts{{folder_, folder_}};
    if (!libraries.empty()) mounts.push_back({libraries, libraries});
    if (!is_of_system(found_.cuda)) mounts.push_back({found_.cuda, found_.cuda});
    const fs::path prefix = found_.program.parent_path().parent_path();
    if (prefix != "/" && !is_of_system(found_.program)) mounts.push_back({prefix, prefix});
    return mounts;
}

std::string host_toolchain::description() const {
    std::string text =
        "g++ " + found_.version + (options_.variant == host_variant::checked ? " -O2" : " -O3");
    for (const auto& flag : flags_)
        if (flag.starts_with("-march") || (flag.starts_with("-std") && flag != "-std=gnu++17"))
            text += ' ' + flag;
    return text;
}

}  // namespace cuset
