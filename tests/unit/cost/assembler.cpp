// The assembler of counted programs: a few lines of assembly in, counters and rows out.
#include <boost/test/unit_test.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "costs/assembler/instrumentation.h"
#include "costs/operation_classes.h"

using namespace cuset_host::costs;

namespace {

std::string counted(const std::string& assembly) {
    return with_counters(assembly, {"/cache/host-1", "/cache/.work-7"});
}

/// Of each row, how often each kind of operation stands in its block.
std::vector<std::vector<unsigned>> rows_of(const std::string& text) {
    std::vector<std::vector<unsigned>> rows;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("\t.value\t", 0) != 0) continue;
        rows.emplace_back();
        std::istringstream numbers(line.substr(8));
        for (std::string number; std::getline(numbers, number, ',');)
            rows.back().push_back(static_cast<unsigned>(std::stoul(number)));
    }
    return rows;
}

/// The sum over all blocks.
unsigned sum_of(const std::string& assembly, unsigned kind) {
    unsigned sum = 0;
    for (const auto& row : rows_of(counted(assembly))) sum += row.at(kind);
    return sum;
}

/// A function behind a constant of 1 and more data.
std::string with_one(const char* function, const char* data = "") {
    std::string text = "\t.section\t.rodata.cst4\n.LC0:\n\t.long\t1065353216\n";
    text += data;
    text += "\t.text\n";
    return text += function;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(assembler)

BOOST_AUTO_TEST_CASE(a_block_has_one_counter_and_one_row) {
    const std::string text = counted(
        "f:\n\tvaddss\t%xmm1, %xmm0, %xmm0\n\tvmulss\t%xmm1, %xmm0, %xmm0\n\tjne\t.L2\n"
        "\tvfmadd231sd\t%xmm1, %xmm2, %xmm0\n.L2:\n\tret\n");
    const auto rows = rows_of(text);
    BOOST_REQUIRE(rows.size() == 3);
    BOOST_TEST(rows[0].size() == operation_kinds);
    BOOST_TEST(rows[0][float_add] == 2);
    BOOST_TEST(rows[0][instruction] == 3);
    BOOST_TEST(rows[1][double_fma] == 1);
    BOOST_TEST(rows[2][instruction] == 1);
    // The counter comes before the block, and behind the label that leads to it.
    BOOST_TEST(text.find("f:\n\tmovb\t$1, .Lcuset_block0_ran(%rip)") != text.npos);
    BOOST_TEST(text.find("%fs:cuset_host_lane@tpoff") < text.find("vaddss"));
    BOOST_TEST(text.find("\t.pushsection\tcuset_ran,\"aw?\",@progbits\n.Lcuset_block0_ran:") !=
               text.npos);
}

BOOST_AUTO_TEST_CASE(functions_are_called_by_name) {
    const std::string text = counted("f:\n\tcall\texpf@PLT\n\tcall\tnobody\n\tret\n");
    BOOST_TEST(text.find("\t.string\t\"expf\"") != text.npos);
    BOOST_TEST(text.find("\t.string\t\"nobody\"") == text.npos);
}

BOOST_AUTO_TEST_CASE(a_quotient_of_1_is_a_reciprocal) {
    const std::string plain =
        with_one("f:\n\tvmovss\t.LC0(%rip), %xmm2\n\tvdivss\t%xmm1, %xmm2, %xmm0\n\tret\n");
    BOOST_TEST(sum_of(plain, float_reciprocal) == 1);
    BOOST_TEST(sum_of(plain, float_divide) == 0);
    // Also in a loop in front of which the 1 is loaded.
    const std::string loop = with_one(
        "f:\n\tvmovss\t.LC0(%rip), %xmm2\n.L3:\n"
        "\tvdivss\t%xmm1, %xmm2, %xmm0\n\tvaddss\t%xmm0, %xmm1, %xmm1\n"
        "\tjne\t.L3\n\tret\n");
    BOOST_TEST(sum_of(loop, float_reciprocal) == 1);
}

BOOST_AUTO_TEST_CASE(a_quotient_of_1_or_another_is_none) {
    // Both ways lead to .L3, one with another value.
    const std::string either = with_one(
        "f:\n\ttestl\t%edi, %edi\n\tje\t.L2\n"
        "\tvmovss\t.LC0(%rip), %xmm2\n.L3:\n"
        "\tvdivss\t%xmm1, %xmm2, %xmm0\n\tret\n"
        ".L2:\n\tvmovss\t(%rsi), %xmm2\n\tjmp\t.L3\n");
    BOOST_TEST(sum_of(either, float_reciprocal) == 0);
    BOOST_TEST(sum_of(either, float_divide) == 1);
    // Nobody knows who jumps to what a table of jumps has.
    const std::string table = with_one(
        "f:\n\tvmovss\t.LC0(%rip), %xmm2\n\tjmp\t*%rax\n.L3:\n"
        "\tvdivss\t%xmm1, %xmm2, %xmm0\n\tret\n",
        "\t.section\t.rodata\n.L5:\n\t.long\t.L3-.L5\n");
    BOOST_TEST(sum_of(table, float_reciprocal) == 0);
    // A loop that changes it.
    const std::string changed = with_one(
        "f:\n\tvmovss\t.LC0(%rip), %xmm2\n.L3:\n"
        "\tvdivss\t%xmm1, %xmm2, %xmm0\n\tvmovss\t(%rsi), %xmm2\n"
        "\tjne\t.L3\n\tret\n");
    BOOST_TEST(sum_of(changed, float_reciprocal) == 0);
}

BOOST_AUTO_TEST_CASE(only_the_runtimes_own_headers_do_not_count) {
    const std::string addition = "f:\n\t.loc\t1 2\n\tvaddss\t%xmm1, %xmm0, %xmm0\n\tret\n";
    const auto adds = [&](const std::string& file) {
        std::string text = "\t.file\t1 ";
        text += file;
        text += '\n';
        text += addition;
        return sum_of(text, float_add);
    };
    BOOST_TEST(adds("\"program.cu\"") == 1);
    BOOST_TEST(adds("\"/cache/host-1/include/cuda_runtime.h\"") == 0);
    BOOST_TEST(adds("\"/cache/.work-7/include\" \"cuda_runtime.h\"") == 0);
    // What a program may write into a #line.
    BOOST_TEST(adds("\"/cache/host-2/include/cuda_runtime.h\"") == 1);
    BOOST_TEST(adds("\"/x/.work-/include/cuda_runtime.h\"") == 1);
    BOOST_TEST(adds("\"/cache/host-12/include/cuda_runtime.h\"") == 1);
    // And into an asm statement.
    BOOST_TEST(sum_of("\t.file\t1 \"program.cu\"\n\t.file\t2 \"/cache/host-1/include/x.h\"\n"
                      "f:\n\t.loc\t1 2\n#APP\n\t.loc\t2 2\n#NO_APP\n"
                      "\tvaddss\t%xmm1, %xmm0, %xmm0\n\tret\n",
                      float_add) == 1);
}

BOOST_AUTO_TEST_CASE(constants_in_memory_are_named) {
    const std::string table =
        "\t.section\t.rodata\n\t.align 16\n\t.type\t_ZL5table, @object\n_ZL5table:\n\t.zero\t16\n"
        "\t.text\n";
    const auto reads = [&](const char* instruction) {
        std::string text = table;
        text += "f:\n\t";
        text += instruction;
        return sum_of(text += "\n\tret\n", of_const_tables);
    };
    BOOST_TEST(reads("vmovss\t_ZL5table+4(%rip), %xmm0") == 1);
    BOOST_TEST(reads("leaq\t_ZL5table(%rip), %rax") == 1);
    BOOST_TEST(reads("vmovss\t.LC3(%rip), %xmm0") == 0);
}

BOOST_AUTO_TEST_CASE(objects_that_are_aligned_to_8_are_two_accesses) {
    const std::string calls = "f:\n\tcall\t__tsan_read16\n\tcall\t__tsan_write16\n";
    const auto counted_behind = [&](const char* moves) {
        std::string text = calls;
        return counted(text += moves);
    };
    const std::string unaligned =
        counted_behind("\tvmovdqu\t(%rbx), %xmm0\n\tvmovdqu\t%xmm0, (%rax)\n\tret\n");
    BOOST_TEST(unaligned.find("cuset_host_read_halves") != unaligned.npos);
    BOOST_TEST(unaligned.find("__tsan_write16") == unaligned.npos);
    const std::string aligned =
        counted_behind("\tvmovdqa\t(%rbx), %xmm0\n\tvmovdqa\t%xmm0, (%rax)\n\tret\n");
    BOOST_TEST(aligned.find("__tsan_read16") != aligned.npos);
}

BOOST_AUTO_TEST_SUITE_END()
