#include "syntax_tree.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <cstdlib>

extern "C" const TSLanguage* tree_sitter_cuda(void);

namespace cuset::syntax {
namespace {

// What tree-sitter has asked of the allocator on this thread. Its error recovery copies the tokens
// skipped so far for every token more, so a parse can take quadratic time, and its progress reports
// (one every hundred steps, whatever a step costs) do not show that. The bytes asked for do: about
// 50 for each byte of ordinary code, thousands where recovery goes astray.
thread_local std::size_t allocated = 0;

void* or_abort(void* p) {  // as the runtime's own allocator does
    if (p == nullptr) std::abort();
    return p;
}
void* metered_malloc(std::size_t size) {
    allocated += size;
    return or_abort(std::malloc(std::max<std::size_t>(size, 1)));
}
void* metered_calloc(std::size_t count, std::size_t size) {
    allocated += count * size;
    return or_abort(std::calloc(std::max<std::size_t>(count, 1), std::max<std::size_t>(size, 1)));
}
void* metered_realloc(void* p, std::size_t size) {
    allocated += size;
    return or_abort(std::realloc(p, std::max<std::size_t>(size, 1)));
}

bool over_limit(TSParseState* state) {
    return allocated > *static_cast<const std::size_t*>(state->payload);
}

struct source {
    std::string_view text;

    static const char* read(void* payload, std::uint32_t offset, TSPoint, std::uint32_t* length) {
        const std::string_view text = static_cast<source*>(payload)->text;
        *length = offset < text.size() ? static_cast<std::uint32_t>(text.size() - offset) : 0;
        return *length == 0 ? "" : text.data() + offset;
    }
};

}  // namespace

void syntax_tree::deleter::operator()(TSParser* parser) const { ts_parser_delete(parser); }
void syntax_tree::deleter::operator()(TSTree* tree) const { ts_tree_delete(tree); }

syntax_tree::syntax_tree() {
    static const bool metered =
        (ts_set_allocator(metered_malloc, metered_calloc, metered_realloc, std::free), true);
    static_cast<void>(metered);
    make_parser();
    const TSLanguage* language = tree_sitter_cuda();
    const auto symbol = [&](std::string_view name) {
        return ts_language_symbol_for_name(language, name.data(),
                                           static_cast<std::uint32_t>(name.size()), true);
    };
    const auto field = [&](std::string_view name) {
        return ts_language_field_id_for_name(language, name.data(),
                                             static_cast<std::uint32_t>(name.size()));
    };
    function_definition_ = symbol("function_definition");
    call_ = symbol("call_expression");
    configuration_ = symbol("kernel_call_syntax");
    body_ = field("body");
    callee_ = field("function");
}

void syntax_tree::make_parser() {
    parser_.reset(ts_parser_new());
    ts_parser_set_language(parser_.get(), tree_sitter_cuda());
}

syntax_tree::tree_pointer syntax_tree::parse(std::string_view code) {
    // What a used parser asks for depends a little on what it has parsed before, since it keeps its
    // buffers. So it gets half the limit, and beyond that a fresh parser decides: the answer
    // depends on the text alone.
    const std::size_t limit = (std::size_t{4} << 20) + 200 * code.size();
    for (const std::size_t share : {limit / 2, limit}) {
        if (share == limit) make_parser();
        std::size_t stop = allocated + share;
        source text{code};
        tree_pointer tree(ts_parser_parse_with_options(
            parser_.get(), nullptr, TSInput{&text, &source::read, TSInputEncodingUTF8, nullptr},
            TSParseOptions{&stop, &over_limit}));
        if (tree) return tree;
    }
    make_parser();
    return nullptr;
}

std::size_t syntax_tree::count_unconfirmed(std::string_view code,
                                           const std::vector<finding>& findings) {
    constexpr std::size_t largest = std::size_t{64} << 20;
    if (findings.empty() || code.size() > largest) return findings.size();

    const tree_pointer tree = parse(code);
    if (!tree) return findings.size();

    sorted_.clear();
    for (const finding& f : findings) sorted_.push_back(&f);
    std::ranges::sort(sorted_, {}, &finding::begin);
    std::vector<bool> confirmed(sorted_.size());
    // `head` is where the node begins: a body without its `__global__` is some other function's.
    const auto confirm = [&](std::size_t from, span_kind kind, std::uint32_t head,
                             std::uint32_t begin, std::uint32_t end) {
        for (; from < sorted_.size() && sorted_[from]->begin <= begin; ++from) {
            const finding& f = *sorted_[from];
            if (f.kind == kind && f.begin == begin && f.end == end && head <= f.head) {
                confirmed[from] = true;
            }
        }
    };

    // Preorder, into nodes that a finding begins in only.
    TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree.get()));
    for (bool more = true; more;) {
        const TSNode node = ts_tree_cursor_current_node(&cursor);
        const std::uint32_t begin = ts_node_start_byte(node);
        const std::uint32_t end = ts_node_end_byte(node);
        const auto first = std::ranges::lower_bound(sorted_, begin, {}, &finding::begin);
        bool descend = first != sorted_.end() && (*first)->begin < end;
        if (descend) {
            const auto from = static_cast<std::size_t>(first - sorted_.begin());
            const TSSymbol symbol = ts_node_symbol(node);
            if (symbol == function_definition_) {
                const TSNode body = ts_node_child_by_field_id(node, body_);
                if (!ts_node_is_null(body)) {
                    confirm(from, span_kind::kernel, begin, ts_node_start_byte(body),
                            ts_node_end_byte(body));
                }
            } else if (symbol == configuration_) {
                confirm(from, span_kind::launch, begin, begin, end);
            } else if (symbol == call_) {
                // A callee may begin with a namespace; the span begins at its last word, which
                // template arguments may follow.
                const TSNode callee = ts_node_child_by_field_id(node, callee_);
                const auto after = std::ranges::lower_bound(sorted_, ts_node_end_byte(callee), {},
                                                            &finding::begin);
                if (after > first) {
                    const auto last = static_cast<std::size_t>(after - sorted_.begin()) - 1;
                    confirm(last, span_kind::launch, begin, sorted_[last]->begin, end);
                }
            }
        }
        if (descend && ts_tree_cursor_goto_first_child(&cursor)) continue;
        while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
            if (!ts_tree_cursor_goto_parent(&cursor)) {
                more = false;
                break;
            }
        }
    }
    ts_tree_cursor_delete(&cursor);
    return static_cast<std::size_t>(std::ranges::count(confirmed, false));
}

}  // namespace cuset::syntax
