// Roles of tokens: kernels labelled by hand, and that each byte of code has one role.
#include "cuset/syntax/roles.h"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cctype>
#include <fstream>
#include <sstream>

#include "cuset/syntax/tagger.h"

using cuset::role_run;
using cuset::token_role;

namespace {

struct labelled {
    std::string name, text;
    std::vector<token_role> roles;  // of each byte
};

token_role role_of_letter(char letter) {
    const std::string letters = "ibmsltahc";
    const std::size_t at = letters.find(letter);
    BOOST_REQUIRE_MESSAGE(at != letters.npos, "no role has the letter " << letter);
    return static_cast<token_role>(at);
}

// `«x:…»`: see elementwise.txt.
labelled read_marks(const std::string& name, const std::string& source) {
    labelled out{name, {}, {}};
    std::vector<token_role> open{token_role::arithmetic};
    for (std::size_t i = 0; i < source.size();) {
        if (source.compare(i, 2, "«") == 0) {
            BOOST_REQUIRE(source.at(i + 3) == ':');
            open.push_back(role_of_letter(source.at(i + 2)));
            i += 4;
        } else if (source.compare(i, 2, "»") == 0) {
            BOOST_REQUIRE_MESSAGE(open.size() > 1, name << ": » without «");
            open.pop_back();
            i += 2;
        } else {
            out.text += source[i++];
            out.roles.push_back(open.back());
        }
    }
    BOOST_REQUIRE_MESSAGE(open.size() == 1, name << ": « without »");
    return out;
}

std::vector<labelled> read_labelled(const std::string& file) {
    std::ifstream in(CUSET_SOURCE_DIR "/tests/unit/syntax/roles/" + file);
    std::vector<labelled> all;
    std::string name, text;
    const auto finish = [&] {
        if (!name.empty()) all.push_back(read_marks(name, text));
    };
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("=== ")) {
            finish();
            name = line.substr(4);
            text.clear();
        } else {
            text += line + '\n';
        }
    }
    finish();
    return all;
}

std::vector<int> roles_of_bytes(const std::string& text, const std::vector<role_run>& runs) {
    std::vector<int> roles(text.size(), -1);
    for (const role_run& run : runs)
        for (std::size_t i = run.begin; i < run.end; ++i) roles[i] = static_cast<int>(run.role);
    return roles;
}

cuset::tagging tag(const std::string& text) {
    cuset::tag_options options;
    options.roles = true;
    return cuset::tagger(options).tag(text);
}

bool is_name_byte(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// A token begins at byte i: a name or number as a whole, any other byte for itself.
bool begins_token(const std::string& text, std::size_t i) {
    if (static_cast<unsigned char>(text[i]) <= ' ') return false;
    return i == 0 || !is_name_byte(text[i]) || !is_name_byte(text[i - 1]);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(roles)

BOOST_AUTO_TEST_CASE(kernels_labelled_by_hand) {
    std::array<std::size_t, cuset::token_roles> right{}, found{}, wanted{};
    std::size_t kernels = 0;
    for (const char* file :
         {"elementwise.txt", "shared.txt", "cooperation.txt", "programs.txt", "styles.txt"}) {
        for (const labelled& each : read_labelled(file)) {
            ++kernels;
            const auto roles = roles_of_bytes(each.text, tag(each.text).roles);
            std::istringstream lines(each.text);
            std::size_t at = 0;
            for (std::string line; std::getline(lines, line); at += line.size() + 1) {
                std::string marks(line.size(), ' ');
                bool differs = false;
                for (std::size_t i = 0; i < line.size(); ++i) {
                    if (!begins_token(each.text, at + i)) continue;
                    const int is = roles[at + i];
                    const auto should = static_cast<std::size_t>(each.roles[at + i]);
                    BOOST_TEST_REQUIRE(is >= 0, each.name << ": no role in " << line);
                    ++wanted[should];
                    ++found[static_cast<std::size_t>(is)];
                    if (is == static_cast<int>(should)) {
                        ++right[should];
                    } else {
                        differs = true;
                        marks[i] = "ibmsltahc"[is];
                    }
                }
                if (differs) BOOST_TEST_MESSAGE(each.name << '\n' << line << '\n' << marks);
            }
        }
    }
    BOOST_TEST(kernels >= 50u);
    for (std::size_t r = 0; r < cuset::token_roles; ++r) {
        BOOST_TEST_MESSAGE(cuset::role_names[r] << ": " << wanted[r] << " labelled, " << found[r]
                                                << " found, " << right[r] << " right");
        BOOST_TEST(static_cast<double>(right[r]) >= 0.95 * static_cast<double>(found[r]),
                   "precision of " << cuset::role_names[r]);
        BOOST_TEST(static_cast<double>(right[r]) >= 0.95 * static_cast<double>(wanted[r]),
                   "recall of " << cuset::role_names[r]);
        BOOST_TEST(wanted[r] >= 10u, "few tokens of " << cuset::role_names[r]);
    }
}

// An instruction's modifier or a register's name says nothing: `.shared.` ends in "red.".
BOOST_AUTO_TEST_CASE(inline_assembly) {
    constexpr std::pair<const char*, token_role> cases[] = {
        {R"("ld.shared.f32 %0, [%1];")", token_role::memory},
        {R"("{\n\tst.global.b32 [%0], %1;\n}")", token_role::memory},
        {R"("cp.async.ca.shared.global [%0], [%1], 4;\n")", token_role::memory},
        {R"("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1}, [%2];")", token_role::memory},
        {R"("cp.async.bulk.wait_group 0;")", token_role::sync},
        {R"("red.shared.add.u32 [%0], 1;")", token_role::sync},
        {R"("@p bar.sync 1, 128;")", token_role::sync},
        {R"("mov.u32 %0, 1;\n\tmbarrier.arrive.shared.b64 _, [%1];")", token_role::sync},
        {R"("s_barrier")", token_role::sync},
        {R"("mov.u32 %st.x, %laneid;")", token_role::arithmetic},
        {R"("shf.l.wrap.b32 %0, %1, %2, 3;")", token_role::arithmetic},
    };
    for (const auto& [code, role] : cases) {
        const std::string text = std::string("__device__ void f() { asm(") + code + "); }";
        const auto roles = roles_of_bytes(text, tag(text).roles);
        BOOST_TEST(roles[text.find("asm")] == static_cast<int>(role), code);
    }
}

BOOST_AUTO_TEST_SUITE_END()
