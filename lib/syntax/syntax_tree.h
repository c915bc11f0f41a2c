// The tree-sitter grammar's opinion on what the lexical pass found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "finder.h"

struct TSParser;
struct TSTree;

namespace cuset::syntax {

/// Parses code and counts the findings that the tree does not confirm: a kernel is confirmed by a
/// function definition with the `__global__` in it whose body has the same bytes, a launch by a
/// node of the configuration or call with the same bytes.
///
/// The work is bounded by the text, not by the clock, so that the answer is always the same: a
/// parse that costs several times what ordinary code of that length does is given up, and so is a
/// text of more than 64 MiB (whose tree would take gigabytes). Nothing is confirmed then.
class syntax_tree {
public:
    syntax_tree();

    /// `findings` in any order.
    std::size_t count_unconfirmed(std::string_view code, const std::vector<finding>& findings);

private:
    struct deleter {
        void operator()(TSParser* parser) const;
        void operator()(TSTree* tree) const;
    };
    using tree_pointer = std::unique_ptr<TSTree, deleter>;
    void make_parser();
    tree_pointer parse(std::string_view code);

    std::unique_ptr<TSParser, deleter> parser_;
    std::vector<const finding*> sorted_;
    std::uint16_t function_definition_, call_, configuration_;
    std::uint16_t body_, callee_;
};

}  // namespace cuset::syntax
