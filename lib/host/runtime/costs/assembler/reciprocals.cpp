#include "reciprocals.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <vector>

#include "text.h"

namespace cuset_host::costs {

namespace {

using std::string_view;

/// A bit for each of %xmm0 … %xmm15: whether it holds 1.
using registers = unsigned;
constexpr registers all_registers = 0xffff;

/// Of "%xmm12" and "%ymm12": its bit. 0 of another operand.
registers bit_of(string_view operand) {
    if (!begins(operand, "%xmm") && !begins(operand, "%ymm")) return 0;
    unsigned number = 0;
    for (const char c : operand.substr(4)) {
        if (std::isdigit(static_cast<unsigned char>(c)) == 0) return 0;
        number = number * 10 + static_cast<unsigned>(c - '0');
    }
    return number < 16 ? 1U << number : 0;
}

/// What matters here of a function's text.
struct step {
    enum class kind {
        function,
        label,
        jump,
        branch,
        end,
        call,
        makes_one,
        copies,
        changes,
        divides
    };
    kind is;
    registers of = 0, from = 0;  // the register that changes, and the one that is copied or divided
    unsigned label = 0;
    const char* place = nullptr;
};

class known_ones {
public:
    std::set<const char*> read(string_view assembly) {
        find_constants(assembly);
        while (!assembly.empty()) read_line(take_line(assembly));
        while (pass()) {
        }
        return std::move(reciprocals_);
    }

private:
    /// The operands that are constants of 1: ".LC3(%rip)".
    void find_constants(string_view assembly) {
        std::string label;
        bool is_low_zero = false;  // the first half of a double of 1
        while (!assembly.empty()) {
            const string_view line = trimmed(take_line(assembly));
            if (begins(line, ".LC") && ends(line, ":")) {
                label = line.substr(0, line.size() - 1);
                is_low_zero = false;
            } else if (!label.empty() && begins(line, ".long")) {
                const string_view value = trimmed(line.substr(5));
                constexpr string_view one = "1065353216", high_of_one = "1072693248";
                if (value == (is_low_zero ? high_of_one : one)) constants_.insert(label + "(%rip)");
                is_low_zero = value == "0" && !is_low_zero;
                if (!is_low_zero) label.clear();
            } else if (!begins(line, ".")) {
                label.clear();
            }
        }
    }

    unsigned number_of(string_view label) {
        const auto next = static_cast<unsigned>(incoming_.size());
        const auto [found, is_new] = labels_.emplace(label, next);
        if (is_new) incoming_.push_back(all_registers);
        return found->second;
    }

    void read_line(string_view line) {
        string_view text = trimmed(line);
        if (begins(text, "#")) return;
        for (string_view name = take_label(text); !name.empty(); name = take_label(text)) {
            if (is_for_debuggers(name)) continue;
            if (begins(name, ".L"))
                steps_.push_back({step::kind::label, 0, 0, number_of(name)});
            else
                steps_.push_back({step::kind::function});
        }
        if (text.empty()) return;
        if (begins(text, ".")) return read_addresses(text);
        const char* const place = text.data();
        string_view operands = text;
        string_view mnemonic = take_word(operands);
        if (mnemonic == "notrack" || mnemonic == "bnd") mnemonic = take_word(operands);
        read_instruction(mnemonic, operands, place);
    }

    /// Where a label's address is taken, by a table of jumps or of handlers of exceptions, nobody
    /// knows who jumps there.
    void read_addresses(string_view text) {
        for (std::size_t at = text.find(".L"); at != text.npos; at = text.find(".L", at + 2)) {
            std::size_t end = at + 2;
            while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
            if (end > at + 2) incoming_[number_of(text.substr(at, end - at))] = 0;
        }
    }

    void read_instruction(string_view mnemonic, string_view operands, const char* place) {
        if (begins(mnemonic, "j")) {
            const bool is_always = mnemonic == "jmp";
            if (begins(operands, ".L"))
                steps_.push_back(
                    {is_always ? step::kind::jump : step::kind::branch, 0, 0, number_of(operands)});
            else if (is_always)
                steps_.push_back({step::kind::end});
            return;
        }
        if (begins(mnemonic, "ret") || mnemonic == "ud2")
            return steps_.push_back({step::kind::end});
        if (mnemonic == "call") return steps_.push_back({step::kind::call});
        read_addresses(operands);
        if (mnemonic.find("comis") != mnemonic.npos) return;  // they change no register
        const string_view name = begins(mnemonic, "v") ? mnemonic.substr(1) : mnemonic;
        if (name == "divss" || name == "divsd")
            steps_.push_back({step::kind::divides, 0, bit_of(second_operand(operands)), 0, place});
        const registers to = bit_of(last_operand(operands));
        if (to == 0) return;
        const string_view from = first_operand(operands);
        const bool moves = begins(name, "mov");
        if (moves && constants_.count(std::string(from)) != 0)
            steps_.push_back({step::kind::makes_one, to});
        else if (moves && bit_of(from) != 0)
            steps_.push_back({step::kind::copies, to, bit_of(from)});
        else
            steps_.push_back({step::kind::changes, to});
    }

    /// Goes through the text once, with what is known at each label. Whether that has become less.
    bool pass() {
        reciprocals_.clear();
        bool changed = false;
        registers ones = 0;
        bool comes_here = false;  // from the step before
        const auto reaches = [&](unsigned label) {
            const registers before = incoming_[label];
            incoming_[label] &= ones;
            changed = changed || incoming_[label] != before;
        };
        for (const step& each : steps_) {
            switch (each.is) {
                case step::kind::function:
                    ones = 0;
                    comes_here = true;
                    break;
                case step::kind::label:
                    if (comes_here) reaches(each.label);
                    ones = incoming_[each.label];
                    comes_here = true;
                    break;
                case step::kind::branch: reaches(each.label); break;
                case step::kind::jump:
                    reaches(each.label);
                    comes_here = false;
                    break;
                case step::kind::end: comes_here = false; break;
                case step::kind::call: ones = 0; break;  // it may change all of them
                case step::kind::makes_one: ones |= each.of; break;
                case step::kind::copies:
                    ones = (ones & each.from) != 0 ? ones | each.of : ones & ~each.of;
                    break;
                case step::kind::changes: ones &= ~each.of; break;
                case step::kind::divides:
                    if ((ones & each.from) != 0) reciprocals_.insert(each.place);
                    break;
            }
        }
        return changed;
    }

    std::set<std::string> constants_;
    std::map<string_view, unsigned> labels_;
    std::vector<registers> incoming_;  // of each label: what all that jump there leave
    std::vector<step> steps_;
    std::set<const char*> reciprocals_;
};

}  // namespace

std::set<const char*> reciprocals_in(string_view assembly) { return known_ones().read(assembly); }

}  // namespace cuset_host::costs
