// Loops of device code that do nothing but wait for what another thread writes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cuset/syntax/cuda_program.h"

namespace cuset {

/// What is asked is only how a program is run: a loop that is taken for a waiting one makes it
/// slower, and one that is not found may keep the thread that it waits for from running.
class waiting_loops {
public:
    explicit waiting_loops(const syntax::cuda_program& program);
    /// Whether such a loop begins at token i, with `while`, `do` or `for`. It reads, by an atomic
    /// operation or a function of the program that does, what stays the same place, and has no
    /// other effect than on variables of its own: `while (atomicAdd(flag, 0) == 0);`,
    /// `do v = load_acquire(p); while (v < k);`, `for (;;) { if (ready.load()) break; }`.
    bool begins_at(std::uint32_t i) const;
    /// Whether a loop begins at token i that goes on until a place has what it waits for, with work
    /// of its own meanwhile: `while (left.load() > 0) { … }`, `while (true) { … if (v.load() != v0)
    /// continue; … }`. Read-modify-write operations that change the place count nothing here, nor
    /// does what is read in the body of a `for` with a condition.
    bool polls_at(std::uint32_t i) const;

private:
    using names = std::unordered_set<std::string>;
    struct loop {
        std::vector<syntax::token_range> expressions;  ///< of its head
        syntax::token_range body;
        names assigned;  ///< variables that it sets
    };

    bool find_parts(std::uint32_t i, std::uint32_t longest, loop& found) const;
    void find_assigned(syntax::token_range part, names& assigned) const;
    bool is_read(std::uint32_t i, const names& assigned) const;
    bool is_read_of_asm(std::uint32_t i, std::uint32_t end) const;
    bool changes(std::uint32_t i) const;
    bool reads(syntax::token_range part, const names& assigned) const;
    bool polls(syntax::token_range part, const names& assigned) const;
    bool only_computes(syntax::token_range expression) const;
    bool is_statement_of_wait(std::uint32_t first, std::uint32_t last) const;
    bool only_waits(syntax::token_range statements) const;
    void find_atomic_variables();
    void find_readers(const syntax::cuda_program& program);

    const syntax::token_stream& code_;
    names atomics_;  ///< variables of atomic types, whose name alone is a read
    names readers_;  ///< short device functions that return what they read
};

/// Whether device code of the program has a loop that polls with work of its own.
bool has_polling_loops(const syntax::cuda_program& program);

}  // namespace cuset
