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

namespace cuset_host::costs {

namespace {

using std::string_view;

bool begins(string_view text, string_view with) { return text.substr(0, with.size()) == with; }
bool ends(string_view text, string_view with) {
    return text.size() >= with.size() && text.substr(text.size() - with.size()) == with;
}

string_view trimmed(string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
        text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
        text.remove_suffix(1);
    return text;
}

/// Takes the first word of the text, and the blanks behind it.
string_view take_word(string_view& text) {
    std::size_t end = 0;
    while (end < text.size() && !std::isspace(static_cast<unsigned char>(text[end]))) ++end;
    const string_view word = text.substr(0, end);
    text = trimmed(text.substr(end));
    return word;
}

/// ".LBB12" and such: g++'s jumps go to ".L12", and those of asm statements to names of their own.
bool is_for_debuggers(string_view label) {
    return label.size() > 2 && begins(label, ".L") &&
           std::isupper(static_cast<unsigned char>(label[2])) != 0;
}

/// The operands that are constants of 1: ".LC3(%rip)".
std::set<std::string> constants_of_one(string_view assembly) {
    std::set<std::string> found;
    std::string label;
    bool is_low_zero = false;  // the first half of a double of 1
    while (!assembly.empty()) {
        const std::size_t end = std::min(assembly.find('\n'), assembly.size() - 1);
        const string_view line = trimmed(assembly.substr(0, end + 1));
        assembly.remove_prefix(end + 1);
        if (begins(line, ".LC") && ends(line, ":")) {
            label = line.substr(0, line.size() - 1);
            is_low_zero = false;
        } else if (!label.empty() && begins(line, ".long")) {
            const string_view value = trimmed(line.substr(5));
            constexpr string_view one = "1065353216", high_of_one = "1072693248";
            if (value == (is_low_zero ? high_of_one : one)) found.insert(label + "(%rip)");
            is_low_zero = value == "0" && !is_low_zero;
            if (!is_low_zero) label.clear();
        } else if (!begins(line, ".")) {
            label.clear();
        }
    }
    return found;
}

string_view last_operand(string_view operands) {
    const std::size_t comma = operands.rfind(", ");
    return comma == string_view::npos ? operands : operands.substr(comma + 2);
}

/// "8(%rsp,%rax,4)" of "8(%rsp,%rax,4), %xmm0".
string_view first_operand(string_view operands) {
    const std::size_t open = operands.find('('), comma = operands.find(',');
    if (comma == string_view::npos) return operands;
    return operands.substr(0, open < comma ? operands.find(')') + 1 : comma);
}

/// The dividend of "divisor, dividend, result". Two operands are divisor and dividend.
string_view second_operand(string_view operands) {
    const std::size_t first = first_operand(operands).size();
    if (first + 2 > operands.size()) return {};
    const string_view rest = operands.substr(first + 2);
    return rest.substr(0, rest.find(','));
}

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

/// The path of one of the runtime's headers below its folder; empty of another file. The runtime is
/// compiled in a folder .work-…, which becomes host-… in the cache when it is whole.
string_view own_header(string_view path) {
    constexpr string_view headers = "/include/";
    for (std::size_t at = path.find(headers); at != string_view::npos;
         at = path.find(headers, at + 1)) {
        const std::size_t slash = path.rfind('/', at - 1);
        const string_view folder = path.substr(slash + 1, at - slash - 1);
        if (begins(folder, ".work-") || begins(folder, "host-"))
            return path.substr(at + headers.size());
    }
    return {};
}

origin origin_of(string_view path) {
    if (const string_view inner = own_header(path); !inner.empty()) {
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

class instrumentation {
public:
    std::string text_of(string_view assembly) {
        ones_ = constants_of_one(assembly);
        out_.reserve(assembly.size() + assembly.size() / 2);
        while (!assembly.empty()) {
            const std::size_t end = std::min(assembly.find('\n'), assembly.size() - 1);
            read(assembly.substr(0, end + 1));
            assembly.remove_prefix(end + 1);
        }
        close();
        return std::move(out_);
    }

private:
    void read(string_view line) {
        string_view text = trimmed(line);
        if (begins(text, "#")) return keep(line);
        // A label may stand before an instruction, in asm statements.
        while (!text.empty()) {
            const std::size_t colon = text.find(':');
            const string_view name = text.substr(0, colon);
            if (colon == string_view::npos || name.find_first_of(" \t\"") != string_view::npos)
                break;
            if (is_for_debuggers(name)) return keep(line);
            if (!begins(name, ".L")) holds_one_.clear();  // a function
            close();
            out_.append(text.substr(0, colon + 1)) += '\n';
            text = trimmed(text.substr(colon + 1));
            line = text.data() < line.data() + line.size() ? line.substr(text.data() - line.data())
                                                           : string_view();
        }
        if (text.empty()) return line.empty() ? void() : keep(line);
        string_view rest = text;
        const string_view word = take_word(rest);
        if (begins(word, ".")) return read_directive(word, rest, line);
        read_instruction(word, rest, line);
    }

    void read_directive(string_view name, string_view rest, string_view line) {
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
        origins_[std::string(number)] = origin_of(path);
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
        const bool is_jump = begins(mnemonic, "j");
        if (is_jump || mnemonic == "call") {
            read_call(operands);
            if (mnemonic == "call") forget_registers();
        } else {
            count_instruction(mnemonic, operands);
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

    /// A call may change all vector registers.
    void forget_registers() {
        holds_one_.clear();
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

    /// Whether a vector register holds 1 from here on, in the order of the text.
    void follow_ones(string_view mnemonic, string_view operands) {
        const std::string to(last_operand(operands));
        if (!begins(to, "%xmm")) return;
        holds_one_.erase(to);
        const std::string from(first_operand(operands));
        if (begins(mnemonic, "vmov") && (ones_.count(from) != 0 || holds_one_.count(from) != 0))
            holds_one_.insert(to);
    }

    void count_instruction(string_view mnemonic, string_view operands) {
        counted_operations found = operations_of(mnemonic, operands);
        if ((found.kind == float_divide || found.kind == double_divide) &&
            holds_one_.count(std::string(second_operand(operands))) != 0)
            ++found.kind;  // a reciprocal
        follow_ones(mnemonic, operands);
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
        if (counts_ || !calls_.empty()) add_counter();
        out_ += block_;
        if (counts_ || !calls_.empty()) add_row();
        block_.clear();
        operations_ = {};
        calls_.clear();
        values_of_calls_.clear();
        values_.clear();
        counts_ = has_instruction_ = false;
    }

    std::string label() const { return ".Lcuset_block" + std::to_string(number_); }

    void add_counter() {
        const std::string place = label();
        out_ += "\tleaq\t" + place + "(%rip), %r10\n";
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
        out_ += "\n\t.popsection\n";
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
    std::set<std::string> ones_;       // operands: ".LC3(%rip)"
    std::set<std::string> holds_one_;  // registers
    origin origin_ = origin::program;
    std::array<unsigned, operation_kinds> operations_{};
    std::vector<std::string> calls_;
    std::vector<unsigned> values_of_calls_;   // the argument of a sine or cosine; else 0
    std::map<std::string, unsigned> values_;  // of registers and places in memory
    unsigned last_value_ = 0;
    bool counts_ = false, has_instruction_ = false;
    bool makes_address_ = false;  // in the register of a call's first argument
    std::size_t number_ = 0;
};

}  // namespace

std::string with_counters(string_view assembly) { return instrumentation().text_of(assembly); }

}  // namespace cuset_host::costs
