// The roles of all of one piece of code.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cuset/syntax/cuda_program.h"
#include "cuset/syntax/roles.h"
#include "roles/device_roles.h"

namespace cuset::syntax {

/// Keeps its buffers, so each thread needs its own. Any text is accepted. Time is that of
/// tree-sitter on the device code, and linear in the rest.
class role_reader {
public:
    /// The runs of `text`, in order (cuset/syntax/roles.h); valid until the next call. Offsets are
    /// into `text`.
    const std::vector<role_run>& read(std::string_view text);
    /// Of that text: bytes of device code that the grammar could not read, whose role is by words,
    /// brackets and statements.
    std::size_t recovered() const { return recovered_; }

private:
    void read_device_code(const cuda_program& program);
    void read_launches(const token_stream& code);
    void make_runs(const token_stream& code);
    void add_gap(const token_stream& code, std::size_t begin, std::size_t end, token_role around);
    void add(token_role role, std::size_t begin, std::size_t end);

    device_role_reader device_;
    std::vector<token_role> roles_;  // of each token
    std::vector<bool> is_device_;
    std::vector<bool> continues_;  // whether the token before is in the same function
    std::unordered_set<std::string> globals_;
    std::vector<role_run> runs_;
    std::size_t recovered_ = 0;
    std::size_t next_directive_ = 0;
};

/// Gives roles by words, brackets and statements alone: to each token of `roles`, which has one
/// entry for each. `is_device`: whether a token is in device code. Names of memory that is declared
/// outside device code go into `globals`.
void read_lexical_roles(const token_stream& code, const std::vector<bool>& is_device,
                        std::vector<token_role>& roles, std::unordered_set<std::string>& globals);

}  // namespace cuset::syntax
