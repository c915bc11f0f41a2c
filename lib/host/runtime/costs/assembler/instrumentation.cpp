#include "instrumentation.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "instructions.h"
#include "reciprocals.h"
#include "text.h"

namespace cuset_host::costs {

namespace {

using std::string_view;

/// Whose arithmetic an instruction is, by the file that it comes from.
enum class origin : unsigned char {
    program,
    halves,
    own,
    own_frame,
    own_ptx,
    own_cub,
    own_curand,
    own_tensors
};

/// The path of one of the runtime's headers below their folder; empty of another file.
string_view own_header(string_view path, const runtime_folders& own) {
    constexpr string_view headers = "/include/";
    for (const string_view folder : {own.now, own.when_built})
        if (!folder.empty() && begins(path, folder) && begins(path.substr(folder.size()), headers))
            return path.substr(folder.size() + headers.size());
    return {};
}

origin origin_of(string_view path, const runtime_folders& own) {
    if (const string_view inner = own_header(path, own); !inner.empty()) {
        if (begins(inner, "cuset_host/threads/stepping_stores")) return origin::program;
        // What a kernel's own frame is made of: its accesses are no access of a GPU.
        if (begins(inner, "cuset_host/threads/execution")) return origin::own_frame;
        if (begins(inner, "cuset_host/ptx/matrices")) return origin::own_tensors;
        if (begins(inner, "cuset_host/ptx/")) return origin::own_ptx;
        if (begins(inner, "cuset_host/cub/") || begins(inner, "cub/")) return origin::own_cub;
        if (begins(inner, "curand") || begins(inner, "cuset_host/curand"))
            return origin::own_curand;
        if (begins(inner, "mma.h")) return origin::own_tensors;
        return origin::own;
    }
    // CUDA's own host versions compute in float.
    for (const string_view name :
         {"/cuda_fp16.hpp", "/cuda_fp16.h", "/cuda_bf16.hpp", "/cuda_bf16.h"})
        if (ends(path, name)) return origin::halves;
    return origin::program;
}

/// The names of the program's constants: objects in memory that cannot be written. Strings that
/// nobody named and what C++ makes for itself are none.
std::set<string_view> const_tables_in(string_view assembly) {
    std::set<string_view> found;
    bool is_constant = false;
    while (!assembly.empty()) {
        string_view rest = trimmed(take_line(assembly));
        const string_view word = take_word(rest);
        if (word == ".section") is_constant = begins(rest, ".rodata");
        if (word == ".text" || word == ".data" || word == ".bss") is_constant = false;
        if (!is_constant || word != ".type" || !ends(rest, "@object")) continue;
        const string_view name = rest.substr(0, rest.find(','));
        const bool is_of_function =
            name.find("__func__") != name.npos || name.find("FUNCTION__") != name.npos;
        if (!begins(name, "_ZT") && !is_of_function) found.insert(name);
    }
    return found;
}

class instrumentation {
public:
    explicit instrumentation(const runtime_folders& own) : own_(own) {}

    std::string text_of(string_view assembly) {
        reciprocals_ = reciprocals_in(assembly);
        tables_ = const_tables_in(assembly);
        out_.reserve(assembly.size() + assembly.size() / 2);
        while (!assembly.empty()) read(take_line(assembly));
        close();
        return std::move(out_);
    }

private:
    void read(string_view line) {
        string_view text = trimmed(line);
        if (begins(text, "#APP")) is_asm_ = true;
        if (begins(text, "#NO_APP")) is_asm_ = false;
        if (begins(text, "#")) return keep(line);
        // A label may stand before an instruction, in asm statements.
        while (!text.empty()) {
            const string_view name = take_label(text);
            if (name.empty()) break;
            if (is_for_debuggers(name)) return keep(line);
            close();
            out_.append(name) += ":\n";
            // What follows in the line, with its end; a label alone leaves nothing.
            line = text.empty() ? string_view()
                                : line.substr(static_cast<std::size_t>(text.data() - line.data()));
        }
        if (text.empty()) return line.empty() ? void() : keep(line);
        string_view rest = text;
        const string_view word = take_word(rest);
        if (begins(word, ".")) return read_directive(word, rest, line);
        read_instruction(word, rest, line);
    }

    void read_directive(string_view name, string_view rest, string_view line) {
        if (is_asm_ && (name == ".loc" || name == ".file")) return keep(line);
        if (name == ".loc") {
            const string_view number = take_word(rest);
            origin_ = origins_[std::string(number)];
        } else if (name == ".file") {
            read_file(rest);
        } else if (name == ".section" || name == ".text" || name == ".data" || name == ".bss" ||
                   name == ".pushsection" || name == ".popsection" || name == ".previous") {
            close();
        }
        keep(line);
    }

    /// "5 \"folder\" \"name\"" or "5 \"path\"".
    void read_file(string_view rest) {
        const string_view number = take_word(rest);
        if (number.empty() || std::isdigit(static_cast<unsigned char>(number.front())) == 0) return;
        std::string path;
        for (std::size_t open = rest.find('"'); open != string_view::npos;) {
            const std::size_t end = rest.find('"', open + 1);
            if (end == string_view::npos) break;
            const string_view part = rest.substr(open + 1, end - open - 1);
            if (begins(part, "/") || path.empty()) {
                path = part;
            } else {
                path += '/';
                path += part;
            }
            open = rest.find('"', end + 1);
        }
        origins_[std::string(number)] = origin_of(path, own_);
    }

    void read_instruction(string_view mnemonic, string_view operands, string_view line) {
        while (mnemonic == "lock" || mnemonic == "rep" || mnemonic == "repz" ||
               mnemonic == "repnz" || mnemonic == "notrack" || mnemonic == "bnd" ||
               mnemonic == "data16")
            mnemonic = take_word(operands);
        if (origin_ == origin::own_frame && begins(operands, "__tsan_")) return;
        has_instruction_ = true;
        keep(line);
        if (origin_ < origin::own) count(instruction, 1);
        if (origin_ == origin::program && reads_table(operands)) count(of_const_tables, 1);
        const bool is_jump = begins(mnemonic, "j");
        if (is_jump || mnemonic == "call") {
            read_call(operands);
            if (mnemonic == "call") forget_registers();
        } else {
            count_instruction(mnemonic, operands);
            see_move(mnemonic, operands);
        }
        // Behind the call that begins a thread, the counters are those of another lane.
        const bool is_other_lane = operands.find("enter_counted_thread") != string_view::npos;
        if (is_jump || is_other_lane || begins(mnemonic, "ret") || mnemonic == "ud2") close();
    }

    void read_call(string_view target) {
        // The address of an access is computed once more for the call that tells of it.
        if (makes_address_ && !begins(target, "__tsan_")) count(integer, 1);
        makes_address_ = false;
        if (origin_ >= origin::own) return;
        counted_call called = call_of(target.substr(0, target.find('@')));
        if (called.operations.count != 0) count(called.operations.kind, called.operations.count);
        if (!called.function.empty()) add_call(std::move(called.function));
    }

    bool reads_table(string_view operands) const {
        if (tables_.empty()) return false;
        const std::size_t end = operands.find("(%rip)");
        if (end == string_view::npos) return false;
        string_view name = operands.substr(0, end);
        name = name.substr(name.rfind(' ') + 1);
        return tables_.count(name.substr(0, name.find_first_of("+-"))) != 0;
    }

    /// Whether the block moves 16 bytes of memory that are aligned to 16, or such that are not.
    void see_move(string_view mnemonic, string_view operands) {
        if (operands.find('(') == string_view::npos || ends(operands, "(%rsp)")) return;
        const string_view name = begins(mnemonic, "v") ? mnemonic.substr(1) : mnemonic;
        if (name == "movdqa" || name == "movaps" || name == "movapd") moves_aligned_ = true;
        if (name == "movdqu" || name == "movups" || name == "movupd") moves_unaligned_ = true;
    }

    /// Objects of 16 bytes that are aligned to 8 are two accesses of a GPU.
    void tell_halves() {
        if (!moves_unaligned_ || moves_aligned_) return;
        for (const auto& [call, instead] : {std::pair{"__tsan_read16", "cuset_host_read_halves"},
                                            {"__tsan_write16", "cuset_host_write_halves"}})
            for (std::size_t at = block_.find(call); at != block_.npos; at = block_.find(call, at))
                block_.replace(at, std::string_view(call).size(), instead);
    }

    /// A call may change all vector registers.
    void forget_registers() {
        for (auto each = values_.begin(); each != values_.end();)
            each = begins(each->first, "%xmm") ? values_.erase(each) : std::next(each);
    }

    void add_call(std::string name) {
        const bool is_sine = name == "sinf" || name == "sin",
                   is_cosine = name == "cosf" || name == "cos";
        if (is_sine || is_cosine) {
            const std::string other = (is_sine ? "cos" : "sin") + name.substr(3);
            const unsigned value = value_of("%xmm0");
            for (std::size_t i = 0; i < calls_.size(); ++i)
                if (calls_[i] == other && values_of_calls_[i] == value) {
                    calls_[i] = name.size() > 3 ? "sinf+cosf" : "sin+cos";
                    return;
                }
            calls_.push_back(std::move(name));
            values_of_calls_.push_back(value);
            return;
        }
        calls_.push_back(std::move(name));
        values_of_calls_.push_back(0);
    }

    /// A number for what the register or place in memory holds.
    unsigned value_of(const std::string& operand) {
        unsigned& value = values_[operand];
        if (value == 0) value = ++last_value_;
        return value;
    }

    /// Follows which registers and places hold one value, within a block. A move's first operand is
    /// the value, also of three.
    void follow_values(string_view mnemonic, string_view operands) {
        const std::string to(last_operand(operands));
        const std::string from(first_operand(operands));
        if ((begins(mnemonic, "vmov") || begins(mnemonic, "mov")) && from != to) {
            const unsigned value = value_of(from);
            values_[to] = value;
        } else if (begins(to, "%")) {
            values_.erase(to);
        }
    }

    void count_instruction(string_view mnemonic, string_view operands) {
        counted_operations found = operations_of(mnemonic, operands);
        if ((found.kind == float_divide || found.kind == double_divide) &&
            reciprocals_.count(mnemonic.data()) != 0)
            ++found.kind;
        follow_values(mnemonic, operands);
        if (found.count == 0) return;
        const bool is_floating = found.kind < integer;
        if (origin_ == origin::program && begins(mnemonic, "lea") && ends(operands, "%rdi")) {
            if (makes_address_) count(integer, 1);
            makes_address_ = true;
            return;
        }
        switch (origin_) {
            case origin::program: return count(found.kind, found.count);
            case origin::halves:
                if (is_floating) count(found.kind % (float_add - half_add), found.count);
                return;
            case origin::own:
            case origin::own_frame: return;
            case origin::own_ptx: return is_floating ? count(of_ptx, 1) : void();
            case origin::own_cub: return is_floating ? count(of_cub, 1) : void();
            case origin::own_curand: return is_floating ? count(of_curand, 1) : void();
            case origin::own_tensors: return is_floating ? count(of_tensor_cores, 1) : void();
        }
    }

    void count(unsigned kind, unsigned number) {
        operations_[kind] += number;
        counts_ = true;
    }

    /// What stands before the first instruction stays before the counter.
    void keep(string_view line) { (has_instruction_ ? block_ : out_) += line; }

    /// Ends a block of instructions: what follows may run without it.
    void close() {
        if (std::exchange(makes_address_, false)) count(integer, 1);
        tell_halves();
        if (counts_ || !calls_.empty()) add_counter();
        out_ += block_;
        if (counts_ || !calls_.empty()) add_row();
        block_.clear();
        operations_ = {};
        calls_.clear();
        values_of_calls_.clear();
        values_.clear();
        counts_ = has_instruction_ = moves_aligned_ = moves_unaligned_ = false;
    }

    std::string label() const { return ".Lcuset_block" + std::to_string(number_); }

    void add_counter() {
        const std::string place = label();
        out_ += "\tmovb\t$1, " + place + "_ran(%rip)\n\tleaq\t" + place + "(%rip), %r10\n";
        out_ +=
            "\tmovl\t%fs:cuset_host_lane@tpoff, %r11d\n"
            "\tleaq\t(%r10,%r11,4), %r10\n"
            "\tmovl\t(%r10), %r11d\n"
            "\tleal\t1(%r11), %r11d\n"
            "\tmovl\t%r11d, (%r10)\n";
    }

    /// The row is in the group of its function's section: what the linker drops, it drops whole.
    void add_row() {
        out_ += "\t.pushsection\tcuset_blocks,\"aw?\",@progbits\n\t.balign\t4\n" + label() + ":\n";
        out_ += "\t.zero\t" + std::to_string(sizeof(executed_block::executions)) + "\n\t.value\t";
        for (unsigned kind = 0; kind < operation_kinds; ++kind) {
            if (kind != 0) out_ += ',';
            out_ += std::to_string(operations_[kind]);
        }
        constexpr std::size_t filled =
            sizeof(executed_block::executions) + sizeof(executed_block::operations);
        out_ += "\n\t.zero\t" + std::to_string(sizeof(executed_block) - filled);
        out_ += "\n\t.popsection\n\t.pushsection\tcuset_ran,\"aw?\",@progbits\n" + label();
        out_ += "_ran:\n\t.byte\t0\n\t.popsection\n";
        for (std::size_t i = 0; i < calls_.size(); ++i) {
            const std::string name = label() + "_name" + std::to_string(i);
            out_ +=
                "\t.pushsection\tcuset_call_names,\"a?\",@progbits\n" + name + ":\n\t.string\t\"";
            out_ += calls_[i];
            out_ +=
                "\"\n\t.popsection\n\t.pushsection\tcuset_calls,\"a?\",@progbits\n\t.balign\t4\n";
            out_ += "\t.long\t" + label() + "-.\n\t.long\t" + name + "-.\n\t.popsection\n";
        }
        ++number_;
    }

    std::string out_, block_;
    std::map<std::string, origin> origins_;
    runtime_folders own_;
    std::set<const char*> reciprocals_;  // places of mnemonics
    std::set<string_view> tables_;       // names of constants in memory
    origin origin_ = origin::program;
    std::array<unsigned, operation_kinds> operations_{};
    std::vector<std::string> calls_;
    std::vector<unsigned> values_of_calls_;   // the argument of a sine or cosine; else 0
    std::map<std::string, unsigned> values_;  // of registers and places in memory
    unsigned last_value_ = 0;
    bool counts_ = false, has_instruction_ = false;
    bool moves_aligned_ = false, moves_unaligned_ = false;  // see see_move()
    bool is_asm_ = false;                                   // within the text of an asm statement
    bool makes_address_ = false;  // in the register of a call's first argument
    std::size_t number_ = 0;
};

}  // namespace

std::string with_counters(string_view assembly, const runtime_folders& own) {
    return instrumentation(own).text_of(assembly);
}

}  // namespace cuset_host::costs
