// Files of one program in CUDA and in HIP, as records to learn translation from.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cuset/base/status.h"
#include "cuset/curate/curation.h"

namespace cuset {

/// Reads records of source files (source_files::next) one by one; nothing at the end.
using source_reader = std::function<result<std::optional<curation_line>>()>;

/// The path without what tells CUDA from HIP, which twins have in common. Those are the words cuda
/// and hip in it, of any case, between characters that are neither letters nor digits, and the
/// endings: "src/scan-hip/main.hip" and "src/scan-cuda/main.cu" are one. hipify's "main.cu.hip" is
/// "main.hip".
std::string path_without_language(std::string_view path);

class twin_files {
public:
    /// Reads all files, which wait in a temporary file. Two are twins if path_without_language() is
    /// one, no third file has it, one of them is in CUDA and the other in HIP, and their texts
    /// differ. The language is that of the word in the path or the ending .hip, if these say one;
    /// else what the tagger finds in the text. `wanted`: "hip" or "cuda", that of the responses.
    static result<twin_files> read(const source_reader& next, std::string_view wanted);
    twin_files(twin_files&&) noexcept;
    twin_files& operator=(twin_files&&) noexcept;
    ~twin_files();

    /// In the order in which the files were read: the record of each file that has a twin and is in
    /// the wanted language, with these members more: "lang", "source" (the twin's text),
    /// "source_lang", "source_path" and "source_sha256". "license" is that of both. Of the others,
    /// those without a twin as they were read. Lines that are no record stay in their places.
    result<std::optional<curation_line>> next();

private:
    struct state;
    explicit twin_files(std::unique_ptr<state> s);
    std::unique_ptr<state> state_;
};

}  // namespace cuset
