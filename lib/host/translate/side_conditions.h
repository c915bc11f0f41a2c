// Conditions of #if as one of nvcc's two readings of a program sees them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "cuset/host/translation.h"
#include "cuset/syntax/cuda_program.h"

namespace cuset {

/// The macros that one reading knows at a place of the text.
class side_macros {
public:
    /// `arch` is the value of __CUDA_ARCH__; empty where it is not defined. The dialect has the
    /// macros of the command line, and the headers' version.
    side_macros(const std::string& arch, const nvcc_dialect& dialect);

    /// Nothing as replacement: the name is not defined.
    void set(const std::string& name, std::optional<std::string> replacement);
    /// From here on, nobody knows what the macro is.
    void forget(const std::string& name);
    bool is_same(const std::string& name, const side_macros& other) const;

    /// The condition behind `keyword`, without macros: equal texts hold for the same programs.
    std::string expanded(syntax::pp_keyword keyword, std::string_view condition) const;

    struct state {
        enum { defined, undefined, unknown } kind = undefined;
        std::string replacement;
        bool operator==(const state&) const = default;
    };

private:
    void define_as(std::string_view flag);
    state of(const std::string& name) const;
    void expand(std::string_view text, int depth, std::string& made) const;

    std::unordered_map<std::string, state> macros_;
};

/// Whether a condition that is expanded holds; nothing if that is not known.
std::optional<bool> holds(std::string_view expanded);

}  // namespace cuset
