// What the parts of inline_ptx.h's translation share: the table of instructions, and the reader of
// an asm statement. Private to lib/host.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/syntax/cuda_program.h"

namespace cuset::ptx {

using namespace syntax;

/// What an instruction's operands are and do.
enum class shape : unsigned char {
    value,           ///< d = f<type>(a, …)
    lanes,           ///< d = f(x, y) of each of a word's parts, added to c or not
    compare,         ///< d = f<type>(a, b), by the comparison among the modifiers
    test,            ///< d = f<type>(a), by the kind among the modifiers
    load,            ///< {d, …} = [a]
    store,           ///< [a] = {b, …}
    atomic,          ///< d = f([a], b, …)
    reduce,          ///< f([a], b)
    nothing,         ///< no effect here
    policy,          ///< d = a policy of caches, which has no effect here
    call,            ///< f(a, …) without a result
    barrier,         ///< the same, with a number of threads or without
    move,            ///< also of a vector's parts
    convert,         ///< d = f<to, from>(a)
    address,         ///< cvta
    shuffle,         ///< d|p = f(a, b, c, mask)
    elect,           ///< d|p = f(mask) or f<type>(a, mask)
    branch,          ///< to a label
    barrier_object,  ///< d = f([a], b, …) or f([a], b, …); the last operand may be missing
    copy,            ///< cp.async: [a] = [b]
    bulk_copy,       ///< cp.async.bulk: [a] = [b], so many bytes, which the mbarrier [c] counts
    tensor_copy,     ///< cp.async.bulk.tensor: a box of a tensor, by its map and coordinates
    load_matrices,   ///< {d, …} = [a], by the whole warp
    store_matrices,  ///< [a] = {b, …}
    multiply,        ///< {d, …} = f({a, …}, {b, …}, {c, …})
};

struct instruction {
    std::string_view name;  ///< with the modifiers that make it what it is
    shape what;
    std::string_view function;
    int operands;  ///< without the result; those that are read
};

std::span<const instruction> instructions();
std::span<const std::string_view> special_registers();

/// The C++ type of a PTX type; empty if there is none.
std::string type_of(std::string_view name);
/// The runtime's name of a type of narrow floating point, or of one of a matrix; empty if there is
/// none.
std::string_view element_of(std::string_view name);
bool is_narrow(std::string_view name);

/// The parts between `at`, outside of brackets and braces, without blanks around them.
std::vector<std::string> split(std::string_view text, char at);

struct operand {
    std::string constraint;
    token_range value;
};

/// An `asm` statement's parts.
struct statement {
    std::uint32_t first = no_token, close = no_token;
    std::string text;
    std::vector<operand> outputs, inputs;
};

class reader {
public:
    reader(const cuda_program& program, std::uint32_t at) : program_(program), code_(program.code) {
        is_read_ = read(at);
    }
    /// The words in its place; `missing` says why there are none.
    std::string words();
    const statement& read_statement() const { return asm_; }
    std::string missing;

private:
    bool read(std::uint32_t at);
    bool read_operands(std::uint32_t& i, std::vector<operand>& list);
    std::string of_instruction(std::string text);
    std::string of_operand(const std::string& text, std::string_view type);
    static std::string register_name(const std::string& text);
    std::string of_special(std::string_view name);
    std::string address_of(const std::string& text, const std::vector<std::string>& parts);
    void declare(const std::string& text);
    std::string branch_to(const std::string& label);
    std::string of_tensor_copy(const std::string& mnemonic, const std::vector<std::string>& parts,
                               const std::vector<std::string>& operands);
    std::string of_bulk_copy(const std::string& mnemonic, const std::vector<std::string>& parts,
                             const std::vector<std::string>& operands);
    std::string of_narrow(const instruction& made, const std::string& mnemonic,
                          const std::vector<std::string>& types,
                          const std::vector<std::string>& operands);
    std::string of_matrices(const instruction& made, const std::string& mnemonic,
                            const std::vector<std::string>& parts,
                            const std::vector<std::string>& operands);
    std::string list_of(const std::string& text, const std::string& name, std::size_t& count);
    std::string fail(std::string why) {
        if (missing.empty()) missing = std::move(why);
        return {};
    }

    const cuda_program& program_;
    const token_stream& code_;
    statement asm_;
    std::set<std::string> locals_, predicates_;  ///< its own registers, and which are predicates
    std::set<std::string> labels_, passed_;      ///< all, and those behind the instruction
    bool is_read_;
};

}  // namespace cuset::ptx
