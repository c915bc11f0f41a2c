// Instructions that copy in bulk, and boxes of tensors.
#include "translate/ptx_reader.h"

namespace cuset::ptx {

namespace {

std::string reduction_of(const std::string& operation) {
    return "::cuset_host::tensor_reduction::" + operation +
           (is_one_of(operation, {"and", "or", "xor"}) ? "_bits" : "");
}

}  // namespace

std::string reader::of_bulk_copy(const std::string& mnemonic, const std::vector<std::string>& parts,
                                 const std::vector<std::string>& operands) {
    std::vector<std::string> spaces;
    std::string operation, type;
    bool counts = false;
    for (const auto& part : parts) {
        const bool is_shared = part == "shared::cta" || part == "shared::cluster";
        if (is_shared || part == "global")
            spaces.push_back(is_shared ? "shared" : "global");
        else if (part == "mbarrier::complete_tx::bytes")
            counts = true;
        else if (is_one_of(part, {"add", "min", "max", "and", "or", "xor"}))
            operation = part;
        else if (is_one_of(part, {"u32", "s32", "b32", "u64", "s64", "b64", "f32", "f64"}))
            type = part;
        else if (part != "bulk_group" && !part.starts_with("L2::"))
            return fail(mnemonic);
    }
    if (spaces.size() != 2 || operands.size() < (counts ? 4 : 3)) return fail(mnemonic);
    const bool reduces = mnemonic.starts_with("cp.reduce"), has_type = !type.empty();
    if (reduces == operation.empty() || reduces != has_type) return fail(mnemonic);
    if (has_type && type[0] == 'f' && operation != "add") return fail(mnemonic);
    const std::string size = of_operand(operands[2], "b32");
    std::string words = "::cuset_host::ptx::bulk_" +
                        (reduces ? "reduce<" + type_of(type) + ">(" : std::string("copy(")) +
                        address_of(operands[0], {spaces[0]}) + ", " +
                        address_of(operands[1], {spaces[1]}) + ", " + size + ", " +
                        (reduces  ? reduction_of(operation)
                         : counts ? address_of(operands[3], {"shared"})
                                  : "nullptr") +
                        ");";
    if (counts && reduces)
        words += " ::cuset_host::ptx::mbarrier_complete_tx(" + address_of(operands[3], {"shared"}) +
                 ", " + size + ");";
    return "{ " + words + " }";
}

/// `[to], [map, {x, y}], [barrier]`, or `[map, {x, y}], [from]`.
std::string reader::of_tensor_copy(const std::string& mnemonic,
                                   const std::vector<std::string>& parts,
                                   const std::vector<std::string>& operands) {
    const std::string space = "::cuset_host::ptx::";
    int rank = 0;
    std::vector<std::string> spaces;
    std::string operation;
    bool is_everywhere = false;
    for (const auto& part : parts) {
        const bool is_shared = part == "shared::cta" || part == "shared::cluster";
        if (part.size() == 2 && part[1] == 'd' && part[0] >= '1' && part[0] <= '5')
            rank = part[0] - '0';
        else if (is_shared || part == "global")
            spaces.push_back(is_shared ? "shared" : "global");
        else if (part == "multicast::cluster")
            is_everywhere = true;
        else if (is_one_of(part, {"add", "min", "max", "and", "or", "xor"}))
            operation = part;
        else if (part != "mbarrier::complete_tx::bytes" && part != "tile" && part != "bulk_group" &&
                 !part.starts_with("L2::"))
            return fail(mnemonic);
    }
    if (rank == 0 || spaces.size() != 2) return fail(mnemonic);
    const bool loads = spaces[0] == "shared", reduces = mnemonic.starts_with("cp.reduce");
    if (reduces == operation.empty() || (loads && reduces)) return fail(mnemonic);
    const std::size_t map_at = loads ? 1 : 0, wanted = loads ? (is_everywhere ? 4U : 3U) : 2U;
    if (operands.size() < wanted) return fail(mnemonic);
    const std::string& box = operands[map_at];
    if (!box.starts_with('[') || !box.ends_with(']')) return fail(mnemonic);
    const auto halves = split(std::string_view(box).substr(1, box.size() - 2), ',');
    if (halves.size() != 2 || !halves[1].starts_with('{') || !halves[1].ends_with('}'))
        return fail(mnemonic);
    const auto places = split(std::string_view(halves[1]).substr(1, halves[1].size() - 2), ',');
    if (static_cast<int>(places.size()) != rank) return fail(mnemonic);
    std::string words = "{ const int cuset_at[] = {";
    for (const auto& place : places)
        words += space + "value_of<int>(" + of_operand(place, "b32") + "), ";
    words += "}; " + space + (loads ? "load" : reduces ? "reduce" : "store") + "_tensor(";
    const std::string map = address_of('[' + halves[0] + ']', {"global"});
    if (loads) words += address_of(operands[0], {"shared"}) + ", ";
    words += map + ", cuset_at, " + address_of(operands[loads ? 2 : 1], {"shared"});
    if (is_everywhere) words += ", " + of_operand(operands[3], "b16");
    if (reduces) words += ", " + reduction_of(operation);
    return words + "); }";
}

}  // namespace cuset::ptx
