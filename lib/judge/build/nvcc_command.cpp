#include "build/nvcc_command.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "build/shell_words.h"

namespace cuset {

bool is_call_of(std::string_view first, std::string_view compiler) {
    return first == compiler || (first.ends_with(compiler) &&
                                 first.substr(0, first.size() - compiler.size()).ends_with('/'));
}

namespace {

/// Long and short names of nvcc's flags whose values stand in the next word, behind = or, for some
/// short ones, behind the name itself.
struct valued_flag {
    std::string_view name;
    enum class use : unsigned char {
        output,
        folder,
        passed,
        standard,
        ignored,
        library,
        relocatable,
        language,
        target,
        alone  ///< the value is joined, if there is one
    } how;
    bool may_be_joined = false;  ///< -Ifolder
};

using use = valued_flag::use;
constexpr valued_flag valued_flags[] = {
    {"-o", use::output},
    {"--output-file", use::output},
    {"-I", use::folder, true},
    {"--include-path", use::folder},
    {"-isystem", use::folder},
    {"--system-include", use::folder},
    {"-D", use::passed, true},
    {"-U", use::passed, true},
    {"-std", use::standard},
    {"--std", use::standard},
    {"-rdc", use::relocatable},
    {"--relocatable-device-code", use::relocatable},
    {"-l", use::library, true},
    {"--library", use::library},
    {"-O", use::ignored, true},
    {"--optimize", use::ignored},
    {"-L", use::ignored, true},
    {"--library-path", use::ignored},
    {"-arch", use::ignored},
    {"--gpu-architecture", use::ignored},
    {"-gencode", use::ignored},
    {"--generate-code", use::ignored},
    {"-code", use::ignored},
    {"--gpu-code", use::ignored},
    {"-Xptxas", use::ignored},
    {"--ptxas-options", use::ignored},
    {"-Xcudafe", use::ignored},
    {"-diag-suppress", use::ignored},
    {"--diag-suppress", use::ignored},
    {"-Werror", use::ignored},
    {"-maxrregcount", use::ignored},
    {"--maxrregcount", use::ignored},
    {"-cudart", use::ignored},
    {"--cudart", use::ignored},
    {"-t", use::ignored},
    {"--threads", use::ignored},
    {"-x", use::language},
};

/// The same for hipcc, whose flags are clang's: what follows a name joins it, or stands behind =.
constexpr valued_flag hipcc_flags[] = {
    {"-o", use::output, true},        {"-I", use::folder, true},
    {"-isystem", use::folder, true},  {"-D", use::passed, true},
    {"-U", use::passed, true},        {"-std", use::standard},
    {"--std", use::standard},         {"-l", use::library, true},
    {"-L", use::ignored, true},       {"-O", use::alone, true},
    {"-x", use::language, true},      {"--offload-arch", use::target},
    {"--amdgpu-target", use::target}, {"--rocm-path", use::ignored},
    {"--hip-path", use::ignored},     {"-ffp-contract", use::ignored},
    {"-parallel-jobs", use::ignored}, {"-W", use::alone, true},
    {"-march", use::ignored},         {"-mtune", use::ignored},
};
constexpr std::string_view hipcc_ignored[] = {"-g",
                                              "-ggdb",
                                              "-w",
                                              "-pthread",
                                              "-fPIC",
                                              "-fPIE",
                                              "-pie",
                                              "-ffast-math",
                                              "-fno-math-errno",
                                              "-funroll-loops",
                                              "-fno-strict-aliasing",
                                              "-munsafe-fp-atomics",
                                              "-mno-unsafe-fp-atomics",
                                              "-mcumode",
                                              "-fno-gpu-rdc",
                                              "-fgpu-flush-denormals-to-zero",
                                              "-v",
                                              "-pipe"};

constexpr std::string_view plain_ignored[] = {"-g",
                                              "-G",
                                              "--debug",
                                              "--device-debug",
                                              "-lineinfo",
                                              "--generate-line-info",
                                              "-w",
                                              "-pg",
                                              "--profile",
                                              "-m64",
                                              "-Wno-deprecated-gpu-targets",
                                              "--keep-device-functions",
                                              "-restrict",
                                              "-extra-device-vectorization",
                                              "-res-usage",
                                              "--resource-usage"};
constexpr std::string_view passed_alone[] = {"-use_fast_math",          "--use_fast_math",
                                             "-extended-lambda",        "--extended-lambda",
                                             "-expt-extended-lambda",   "--expt-extended-lambda",
                                             "-expt-relaxed-constexpr", "--expt-relaxed-constexpr"};
/// What the host's programs have anyway: the system's, and those that the runtime models.
constexpr std::string_view known_libraries[] = {
    "cudart", "cudart_static", "cudadevrt", "pthread",   "m",        "rt",
    "dl",     "stdc++",        "cuda",      "cublas",    "cublasLt", "curand",
    "cufft",  "cusolver",      "cusparse",  "nvToolsExt"};
constexpr std::string_view hipcc_libraries[] = {"amdhip64", "pthread", "m",        "rt",
                                                "dl",       "stdc++",  "hipblas",  "hiprand",
                                                "rocrand",  "hipfft",  "hipsparse"};
constexpr std::string_view source_endings[] = {".cu", ".cpp", ".cc", ".cxx"};

template <std::size_t n>
bool is_in(const std::string_view (&list)[n], std::string_view word) {
    return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

/// Whether AMD's GPU runs warps of 64 lanes, as those before RDNA do (gfx1010), and CDNA: gfx90a,
/// gfx942:sramecc+. Other names, such as native, are nobody's here.
bool has_wide_warps(std::string_view gpu) {
    constexpr std::string_view begin = "gfx";
    if (!gpu.starts_with(begin)) return false;
    gpu.remove_prefix(begin.size());
    gpu = gpu.substr(0, gpu.find(':'));
    constexpr std::size_t digits_of_rdna = 4;
    return gpu.starts_with('9') || gpu.size() < digits_of_rdna;
}

/// Whether g++'s own flags, which nvcc passes on, change nothing that the host model does not do.
bool is_harmless_for_gxx(std::string_view list) {
    while (!list.empty()) {
        const std::string_view flag = list.substr(0, list.find(','));
        const bool is_harmless = flag.starts_with("-W") || flag.starts_with("-O") ||
                                 flag.starts_with("-g") || flag.starts_with("-march=") ||
                                 flag == "-fPIC" || flag == "-pthread" || flag == "-w";
        if (!is_harmless || flag.starts_with("-Wl")) return false;
        list.remove_prefix(std::min(flag.size() + 1, list.size()));
    }
    return true;
}

class reader {
public:
    reader(std::vector<shell_word> words, const std::vector<task_file>& files)
        : words_(std::move(words)), files_(files) {}
    result<nvcc_command> read();

private:
    status take(const shell_word& word);
    status take_for_hipcc(const shell_word& word);
    status take_valued(const valued_flag& flag, std::string value);
    status take_source(const shell_word& word);
    /// The value of a flag of that name, and moves on to it; nothing if the word is another.
    result<std::optional<std::string>> value_of(const valued_flag& flag);

    std::vector<shell_word> words_;
    const std::vector<task_file>& files_;
    std::size_t at_ = 0;
    nvcc_command found_;
    std::size_t wide_ = 0, narrow_ = 0;  // GPUs that --offload-arch names
};

result<std::optional<std::string>> reader::value_of(const valued_flag& flag) {
    using text = std::optional<std::string>;
    const std::string& word = words_[at_].text;
    if (!word.starts_with(flag.name)) return text();
    if (flag.how == use::alone) return text(word.substr(flag.name.size()));
    if (word.size() == flag.name.size()) {
        if (at_ + 1 == words_.size()) return data_error(word + " without its value");
        return text(words_[++at_].text);
    }
    if (word[flag.name.size()] == '=') return text(word.substr(flag.name.size() + 1));
    if (flag.may_be_joined) return text(word.substr(flag.name.size()));
    return text();
}

status reader::take_valued(const valued_flag& flag, std::string value) {
    switch (flag.how) {
        case use::output: found_.output = std::move(value); break;
        case use::passed: found_.flags.push_back(std::string(flag.name) + value); break;
        case use::standard: found_.flags.push_back("-std=" + value); break;
        case use::folder: {
            const std::filesystem::path folder(value);
            if (folder.is_absolute()) {
                found_.flags.push_back("-I" + value);
            } else {
                std::string plain = folder.lexically_normal().string();
                while (plain.ends_with('/')) plain.pop_back();
                found_.folders.push_back(plain.empty() ? "." : plain);
            }
            break;
        }
        case use::library:
            if (found_.is_hip ? !is_in(hipcc_libraries, value) : !is_in(known_libraries, value))
                return data_error("-l" + value);
            break;
        case use::relocatable: found_.relocatable = value == "true"; break;
        case use::language:
            if (found_.is_hip && value != "hip") return data_error("hipcc's flag -x " + value);
            found_.is_all_cuda = found_.is_hip || value == "cu";
            break;
        case use::target: {
            for (std::string_view list = value; !list.empty();) {
                const std::string_view gpu = list.substr(0, list.find_first_of(",;"));
                ++(has_wide_warps(gpu) ? wide_ : narrow_);
                list.remove_prefix(std::min(gpu.size() + 1, list.size()));
            }
            break;
        }
        case use::alone:
        case use::ignored: break;
    }
    return {};
}

status reader::take_source(const shell_word& word) {
    const auto is_source = [this](std::string_view path) {
        return (found_.is_hip && path.ends_with(".hip")) ||
               std::any_of(std::begin(source_endings), std::end(source_endings),
                           [&](auto ending) { return path.ends_with(ending); });
    };
    const std::string_view path = without_dots(word.text);
    std::vector<std::string> paths;
    if (word.is_pattern) {
        for (const auto& file : files_)
            if (matches(path, file.path)) paths.push_back(file.path);
        std::sort(paths.begin(), paths.end());
    }
    if (paths.empty()) paths.emplace_back(path);  // nvcc will say that it is missing
    for (auto& each : paths) {
        if (!is_source(each)) return data_error("the build's input " + each);
        found_.sources.push_back(std::move(each));
    }
    return {};
}

status reader::take(const shell_word& word) {
    const std::string& text = word.text;
    if (!text.starts_with('-')) return take_source(word);
    if (is_in(plain_ignored, text)) return {};
    if (is_in(passed_alone, text)) {
        found_.flags.push_back(text);
        return {};
    }
    for (const valued_flag& passed : {valued_flag{"-Xcompiler", use::ignored},
                                      valued_flag{"--compiler-options", use::ignored}}) {
        CUSET_ASSIGN(const auto value, value_of(passed));
        if (!value) continue;
        return is_harmless_for_gxx(*value) ? status() : data_error("-Xcompiler " + *value);
    }
    for (const valued_flag& flag : valued_flags) {
        CUSET_ASSIGN(auto value, value_of(flag));
        if (value) return take_valued(flag, *std::move(value));
    }
    return data_error("nvcc's flag " + text);
}

status reader::take_for_hipcc(const shell_word& word) {
    const std::string& text = word.text;
    if (!text.starts_with('-')) return take_source(word);
    if (text == "-fgpu-rdc") found_.relocatable = true;
    if (text == "-fgpu-rdc" || is_in(hipcc_ignored, text)) return {};
    // What the linker and the preprocessor are told is not known.
    const bool is_passed_on = text.starts_with("-Wl,") || text.starts_with("-Wp,");
    for (const valued_flag& flag : hipcc_flags) {
        CUSET_ASSIGN(auto value, value_of(flag));
        if (value && !is_passed_on) return take_valued(flag, *std::move(value));
    }
    return data_error("hipcc's flag " + text);
}

result<nvcc_command> reader::read() {
    const std::string_view first = words_.empty() ? "" : std::string_view(words_[0].text);
    found_.is_hip = found_.is_all_cuda = is_call_of(first, "hipcc");
    if (!found_.is_hip && !is_call_of(first, "nvcc"))
        return data_error("a build command that is no call of nvcc or hipcc");
    for (at_ = 1; at_ < words_.size(); ++at_) {
        const shell_word word(words_[at_]);
        CUSET_TRY(found_.is_hip ? take_for_hipcc(word) : take(word));
    }
    if (found_.sources.empty()) return data_error("a build command without sources");
    found_.has_wide_warps = wide_ > 0 && narrow_ == 0;
    found_.output = std::string(without_dots(found_.output));
    if (!path_fault(found_.output).empty())
        return data_error("the build's output " + found_.output);
    return std::move(found_);
}

}  // namespace

result<nvcc_command> read_nvcc_command(std::string_view command,
                                       const std::vector<task_file>& files) {
    auto words = shell_words(command);
    if (!words) return std::move(words).error().with_prefix("the build command has ");
    return reader(std::move(words).value(), files).read();
}

}  // namespace cuset
