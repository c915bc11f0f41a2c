#include "cuset/host/build/gxx_messages.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <vector>

#include "cuset/base/visible_text.h"
#include "cuset/host/build/compiler_messages.h"
#include "cuset/host/headers.h"
#include "cuset/host/hip.h"
#include "cuset/sandbox/text_lines.h"
#include "translate/hip_table.h"

namespace cuset {

namespace {

constexpr std::string_view file_name = "program.cu:";

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return text.starts_with(word); });
}

/// Takes "12" from "program.cu:12:5: error: …"; empty if the line is not about the program.
std::string_view line_number(std::string_view line) {
    std::size_t at = line.find(file_name);
    // "In file included from program.cu:3:" and "/job/program.cu:3:5: error:" are about the program
    // too.
    if (at == line.npos) return {};
    line.remove_prefix(at + file_name.size());
    return line.substr(0, std::min(line.find_first_not_of("0123456789"), line.size()));
}

struct found_error {
    std::string_view line;     ///< as g++ wrote it
    std::string_view message;  ///< from "error:" on, or "fatal error:"
    std::string_view number;   ///< of the program's line; may be empty
};

/// A parameter of a type that nobody knows is told in a second error, which names the type.
bool says_less_than_the_next(std::string_view message) {
    return message.find("variable or field ") != message.npos &&
           message.ends_with(" declared void");
}

found_error first_error(std::string_view messages) {
    std::string_view number;
    found_error vague;
    while (!messages.empty()) {
        const std::string_view line = take_line(messages);
        const std::string_view own = line_number(line);
        if (!own.empty()) number = own;
        for (const std::string_view mark : {": fatal error: ", ": error: "}) {
            const std::size_t at = line.find(mark);
            if (at == line.npos || (own.empty() && line.find("collect2") != line.npos)) continue;
            const found_error found{line, line.substr(at + 2), own.empty() ? number : own};
            if (!says_less_than_the_next(found.message)) return found;
            if (vague.line.empty()) vague = found;
        }
    }
    return vague;
}

/// The names between g++'s quotes, which are ' or UTF-8 quotes; the linker opens with `.
std::vector<std::string> quoted_names(std::string_view text) {
    constexpr std::string_view opening = "\u2018", closing = "\u2019";
    std::vector<std::string> names;
    while (!text.empty()) {
        std::size_t open = std::min(text.find_first_of("'`"), text.size()), width = 1;
        if (const std::size_t wide = text.find(opening); wide < open)
            open = wide, width = opening.size();
        if (open >= text.size()) break;
        text.remove_prefix(open + width);
        const std::size_t close = text.find(width == 1 ? "'" : closing);
        if (close == text.npos) break;
        names.emplace_back(text.substr(0, close));
        text.remove_prefix(close + width);
    }
    return names;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }

/// Takes "cudaMalloc" from "cudaMalloc(void**, unsigned long)" and from "struct cudaMalloc".
std::string plain_name(std::string name) {
    for (const std::string_view word : {"struct ", "class ", "const ", "enum ", "union "})
        if (name.starts_with(word)) name.erase(0, word.size());
    name.resize(std::min(name.find_first_of("(<[ {*&"), name.size()));
    return name;
}

/// Whether a name is CUDA's, or reserved for it and the compiler.
bool is_cuda_name(std::string_view name) {
    for (const std::string_view prefix :
         {"cuda", "cu", "cublas", "cublasLt", "curand", "cufft", "cusparse", "cusolver", "cudnn",
          "nvrtc", "nvml", "npp", "nccl", "atomic"})
        if (name.size() > prefix.size() && name.starts_with(prefix) &&
            is_upper(name[prefix.size()]))
            return true;
    if (starts_with_any(name,
                        {"__", "curand_", "nv_", "nvtx", "tex1D", "tex2D", "tex3D", "texCubemap",
                         "surf1D", "surf2D", "surf3D", "surfCubemap", "cuset_host::"}))
        return true;
    const std::string_view outer = name.substr(0, name.find("::"));
    return starts_with_any(outer, {"cooperative_groups", "nvcuda", "cutlass"}) || outer == "cuda" ||
           outer == "cub" || outer == "thrust" || outer == "cute" || outer == "wmma" ||
           // What NVIDIA's texts call cuda::ptx and cuda::device::experimental.
           outer == "ptx" || outer == "cde" || outer == "cuset_host";
}

/// Whether it is most likely one of libcu++'s functions for instructions, named by an alias of
/// cuda::ptx.
bool is_ptx_name(std::string_view name) {
    return starts_with_any(
        name, {"cp_async_bulk_tensor", "cp_reduce_async_bulk_tensor", "tcgen05_", "multimem_",
               "tensormap_", "clusterlaunchcontrol_", "fence_proxy_tensormap"});
}

/// "mpi.h" from "… fatal error: mpi.h: No such file or directory".
std::string_view not_found(std::string_view message) {
    constexpr std::string_view begin = "fatal error: ", end = ": No such file or directory";
    const std::size_t start = message.find(begin), stop = message.find(end);
    if (start == message.npos || stop == message.npos || stop < start + begin.size()) return {};
    return message.substr(start + begin.size(), stop - start - begin.size());
}

/// A header of HIP belongs to a library that this machine lacks.
std::string missing_header(std::string_view message) {
    const std::string_view name = not_found(message);
    return name.starts_with("hip/") || is_toolkit_header(name) || is_library_header(name)
               ? '<' + std::string(name) + '>'
               : std::string();
}

/// A header of the runtime's own says what it cannot do here: #error "cuset-host: unsupported: …".
std::string refused_by_runtime(std::string_view message) {
    constexpr std::string_view begin = "cuset-host: unsupported: ";
    const std::size_t at = message.find(begin);
    if (at == message.npos) return {};
    const std::string_view what = message.substr(at + begin.size());
    return std::string(what.substr(0, what.find('"')));
}

/// Narrow floating point has more constructors for a host compiler than for a device's: g++ finds
/// ambiguous what nvcc takes, such as h = {}.
std::string ambiguous_narrow_type(std::string_view message) {
    if (!has_any(message, {"ambiguous"})) return {};
    for (const char* const type : {"half2", "__half2", "__half", "half", "__nv_bfloat162",
                                   "__nv_bfloat16", "nv_bfloat16", "nv_bfloat162"})
        for (const std::string& name : quoted_names(message))
            if (plain_name(name) == type) return std::string("an ambiguous ") + type;
    return {};
}

/// A form of an instruction of inline PTX that the runtime has no function for: "'vote_uni' is not
/// a member of 'cuset_host::ptx'", "no matching function for call to 'atom_add<>(unsigned char*,
/// cuset_host::ptx::word&)'".
std::string unknown_instruction(std::string_view message) {
    const bool has_none = has_any(message, {"is not a member of"}) &&
                          has_any(message, {"cuset_host::ptx'", "cuset_host::ptx\u2019"});
    const bool has_no_type = has_any(message, {"no matching function for call to"}) &&
                             has_any(message, {"cuset_host::ptx::word"});
    const auto names = quoted_names(message);
    if ((!has_none && !has_no_type) || names.empty()) return {};
    std::string name = plain_name(names[0]);
    std::ranges::replace(name, '_', '.');
    return "inline PTX: " + name + (has_none ? "" : " of this type");
}

std::string undeclared_name(std::string_view message) {
    const auto names = quoted_names(message.substr(0, message.find("; did you mean")));
    if (names.empty()) return {};
    std::string first = plain_name(names[0]);
    if (names.size() > 1 && has_any(message, {"is not a member of", "has no member named"})) {
        // "'x' is not a member of 'cub'", "'struct cudaDeviceProp' has no member named 'x'",
        // "'using reduce = class cub::WarpReduce<int>' {aka 'class …'} has no member named 'x'"
        const bool inner_first = message.find("is not a member of") != message.npos;
        const std::size_t last = names.size() - 1;
        const std::string outer = plain_name(names[inner_first ? 1 : last - 1]);
        const std::string inner = plain_name(names[inner_first ? 0 : last]);
        if (is_cuda_name(outer)) return outer + "::" + inner;
        return inner_first && is_ptx_name(inner) ? "cuda::ptx::" + inner : std::string();
    }
    // The runtime's CUB lacks some of the forms of a call.
    if (has_any(message, {"no matching function for call to"}) && first.starts_with("cub::"))
        return first;
    // "'x' in namespace 'cub' does not name a template type"
    if (names.size() > 1 && has_any(message, {"in namespace"}) && is_cuda_name(names[1] + "::"))
        return names[1] + "::" + first;
    if (!has_any(message, {"not declared", "not been declared", "does not name a type",
                           "has incomplete type", "is not a namespace", "undeclared",
                           "incomplete type", "no arguments to"}))
        return {};
    if (is_ptx_name(first)) return "cuda::ptx::" + first;
    return is_cuda_name(first) ? first : std::string();
}

/// The first CUDA name in the linker's lines.
std::string undefined_name(std::string_view messages) {
    constexpr std::string_view words = "undefined reference to ";
    for (std::size_t at = messages.find(words); at != messages.npos;
         at = messages.find(words, at + 1)) {
        const std::string_view line = messages.substr(at, messages.find('\n', at) - at);
        for (auto& name : quoted_names(line))
            if (std::string plain = plain_name(std::move(name)); is_cuda_name(plain)) return plain;
    }
    return {};
}

}  // namespace

namespace {

/// "cudaMalloc is no name of HIP", "cuda_runtime.h is no header of HIP"; empty for other errors.
std::string name_that_hip_lacks(std::string_view message) {
    constexpr std::string_view error = "error: ", not_there = ": No such file or directory";
    const std::size_t end = message.find(no_name_of_hip);
    if (end == message.npos) return {};
    if (message.substr(end + no_name_of_hip.size()).starts_with(not_there))
        return std::string(message.substr(error.size(), end - error.size())) +
               " is no header of HIP";
    for (const std::string& name : quoted_names(message))
        if (name.ends_with(no_name_of_hip))
            return name.substr(0, name.size() - no_name_of_hip.size()) + " is no name of HIP";
    return {};
}

/// A name that HIP may have and nobody has here: "hipCtxCreate", "hipDeviceProp_t::luidHigh".
std::string unknown_name_of_hip(std::string_view message) {
    const auto names = quoted_names(message.substr(0, message.find("; did you mean")));
    for (const std::string& name : names)
        if (name.ends_with(not_modelled_of_hip))
            return name.substr(0, name.size() - not_modelled_of_hip.size());
    if (names.empty()) return {};
    if (names.size() > 1 && has_any(message, {"has no member named"})) {
        const std::string outer = plain_name(names[names.size() - 2]);
        return hip_names::looks_like_hip(outer) ? outer + "::" + names.back() : std::string();
    }
    if (!has_any(message, {"not declared", "not been declared", "does not name a type",
                           "is not a type", "undeclared", "incomplete type", "no arguments to"}))
        return {};
    const std::string first = plain_name(names[0]);
    return hip_names::looks_like_hip(first) ? first : std::string();
}

bool is_vector_type(std::string_view name) {
    if (name.empty() || name.back() < '1' || name.back() > '4') return false;
    name.remove_suffix(1);
    if (name.starts_with('u')) name.remove_prefix(1);
    constexpr std::string_view elements[] = {"char",     "short", "int",   "long",
                                             "longlong", "float", "double"};
    return std::ranges::find(elements, name) != std::end(elements);
}

/// HIP's vectors have more operators and constructors than the model's: "float4::float4",
/// "operators of int3".
std::string missing_of_vectors(std::string_view message) {
    const auto names = quoted_names(message);
    if (names.empty()) return {};
    if (has_any(message, {"no matching function for call to", "has no member named"})) {
        const std::string type = names[0].substr(0, names[0].find("::"));
        if (is_vector_type(type) && type != names[0]) return type + "::" + type;
        if (names.size() > 1 && names.back() == "data" && is_vector_type(plain_name(names[0])))
            return plain_name(names[0]) + "::data";
    }
    if (!has_any(message, {"no match for ", "could not convert"})) return {};
    for (const std::string& name : names)
        if (const std::string type = plain_name(name); is_vector_type(type))
            return "operators of " + type;
    return {};
}

/// What an error about the runtime's own classes means for the program.
std::string in_words_of_the_program(std::string_view message) {
    if (std::string name = name_that_hip_lacks(message); !name.empty()) return "error: " + name;
    if (message.find("no matching function for call to") != message.npos &&
        message.find("cuset_host::configuration::configuration(") != message.npos)
        return "error: a launch needs a grid size and a block size, dim3 or integers";
    constexpr std::string_view named = "cuset_host::named_launch::";
    if (message.find("cuset_host::launch::plain(") != message.npos)
        return "error: what is launched is no kernel";
    if (const std::size_t at = message.find(named); at != message.npos) {
        const std::string_view call = message.substr(at + named.size());
        return "error: the arguments of " +
               std::string(call.substr(0, call.find_first_of("<(&: "))) +
               "() do not fit the kernel's parameters";
    }
    if (message.find("cuset_host::launch(") != message.npos ||
        has_any(message, {"cuset_host::launch'", "cuset_host::launch\u2019"}))
        return "error: a launch has no value";
    if (message.find("no match for call to") != message.npos &&
        (message.find("cuset_host::plain_launch<") != message.npos ||
         message.find("cuset_host::deduced_launch<") != message.npos))
        return "error: the arguments of a launch do not fit the kernel's parameters";
    return std::string(message);
}

}  // namespace

std::string in_names_of_hip(std::string messages) {
    for (const std::string_view end : {no_name_of_hip, not_modelled_of_hip, own_name_of_hip})
        for (std::size_t at = messages.find(end); at != messages.npos; at = messages.find(end, at))
            messages.erase(at, end.size());
    return messages;
}

std::string first_gxx_error(std::string_view messages) {
    constexpr std::size_t longest = 300;
    const found_error error = first_error(messages);
    if (error.line.empty() || error.number.empty()) return first_diagnostic(messages);
    std::string_view message = error.message;
    if (message.starts_with("fatal ")) message.remove_prefix(6);
    const std::string text =
        "program.cu(" + std::string(error.number) + "): " + in_words_of_the_program(message);
    return std::string(beginning_of(text, longest));
}

std::string uninitialised_use(std::string_view messages) {
    while (!messages.empty()) {
        const std::string_view line = take_line(messages);
        const bool surely = line.find("uninitialized [-Wuninitialized]") != line.npos;
        if (!surely && line.find("uninitialized [-Wmaybe-uninitialized]") == line.npos) continue;
        const std::string_view number = line_number(line);
        const auto names = quoted_names(line);
        if (!number.empty() && !names.empty())
            return "line " + std::string(number) + ": '" + names.front() +
                   (surely ? "' is used uninitialised" : "' may be used uninitialised");
    }
    return {};
}

std::vector<std::size_t> program_lines(std::string_view messages) {
    std::vector<std::size_t> lines;
    for (std::size_t at = messages.find(file_name); at != messages.npos;
         at = messages.find(file_name, at)) {
        at += file_name.size();
        std::size_t line = 0;
        for (; at < messages.size() && is_digit(messages[at]); ++at)
            line = line * 10 + static_cast<std::size_t>(messages[at] - '0');
        if (line > 0) lines.push_back(line);
    }
    return lines;
}

std::string missing_of_cuda(std::string_view messages) {
    const found_error error = first_error(messages);
    if (error.line.empty()) return undefined_name(messages);
    const bool is_programs = !line_number(error.line).empty();  // and not a header's of the runtime
    if (std::string refused = refused_by_runtime(error.message); !refused.empty() && !is_programs)
        return refused;
    if (std::string type = ambiguous_narrow_type(error.message); !type.empty()) return type;
    if (std::string form = unknown_instruction(error.message); !form.empty()) return form;
    std::string name = missing_header(error.message);
    return name.empty() ? undeclared_name(error.message) : name;
}

std::string missing_of_hip(std::string_view messages) {
    const std::string_view message = first_error(messages).message;
    if (!name_that_hip_lacks(message).empty()) return {};
    if (const std::string_view header = not_found(message); hip_names::is_library_header(header))
        return '<' + std::string(header) + '>';
    std::string name = unknown_name_of_hip(message);
    if (name.empty()) name = missing_of_vectors(message);
    return name.empty() ? missing_of_cuda(messages) : name;
}

std::string missing_library(std::string_view message) {
    const std::string_view name = not_found(message);
    return is_library_header(name) ? '<' + std::string(name) + '>' : std::string();
}

std::string missing_header_of(std::string_view messages) {
    return std::string(not_found(first_error(messages).message));
}

}  // namespace cuset
