#include "roles/syntax_tree.h"

#include <tree_sitter/api.h>

#include <string_view>
#include <utility>

extern "C" const TSLanguage* tree_sitter_cuda(void);

namespace cuset::syntax {
namespace {

constexpr std::pair<std::string_view, node_kind> kind_names[] = {
    {"ERROR", node_kind::error},
    {"identifier", node_kind::identifier},
    {"field_identifier", node_kind::field_identifier},
    {"type_identifier", node_kind::type_identifier},
    {"namespace_identifier", node_kind::namespace_identifier},
    {"this", node_kind::this_},
    {"parameter_declaration", node_kind::parameter},
    {"optional_parameter_declaration", node_kind::parameter},
    {"declaration", node_kind::declaration},
    {"init_declarator", node_kind::init_declarator},
    {"pointer_declarator", node_kind::pointer_declarator},
    {"abstract_pointer_declarator", node_kind::pointer_declarator},
    {"reference_declarator", node_kind::reference_declarator},
    {"array_declarator", node_kind::array_declarator},
    {"function_declarator", node_kind::function_declarator},
    {"subscript_expression", node_kind::subscript},
    {"subscript_argument_list", node_kind::subscript_list},
    {"call_expression", node_kind::call},
    {"argument_list", node_kind::argument_list},
    {"template_function", node_kind::template_function},
    {"template_method", node_kind::template_function},
    {"template_argument_list", node_kind::template_arguments},
    {"qualified_identifier", node_kind::qualified},
    {"field_expression", node_kind::field},
    {"binary_expression", node_kind::binary},
    {"unary_expression", node_kind::unary},
    {"assignment_expression", node_kind::assignment},
    {"update_expression", node_kind::update},
    {"pointer_expression", node_kind::pointer_expression},
    {"conditional_expression", node_kind::conditional},
    {"cast_expression", node_kind::cast},
    {"parenthesized_expression", node_kind::parentheses},
    {"condition_clause", node_kind::condition_clause},
    {"if_statement", node_kind::if_},
    {"while_statement", node_kind::while_},
    {"do_statement", node_kind::do_},
    {"for_statement", node_kind::for_},
    {"for_range_loop", node_kind::for_range},
    {"return_statement", node_kind::return_},
    {"break_statement", node_kind::jump},
    {"continue_statement", node_kind::jump},
    {"expression_statement", node_kind::expression_statement},
    {"compound_statement", node_kind::compound},
    {"function_definition", node_kind::function},
    {"lambda_expression", node_kind::lambda},
    {"gnu_asm_expression", node_kind::assembly},
    {"launch_bounds", node_kind::launch_bounds},
};

constexpr std::pair<std::string_view, node_field> field_names[] = {
    {"condition", node_field::condition},
    {"consequence", node_field::consequence},
    {"alternative", node_field::alternative},
    {"body", node_field::body},
    {"declarator", node_field::declarator},
    {"value", node_field::value},
    {"left", node_field::left},
    {"right", node_field::right},
    {"argument", node_field::argument},
    {"function", node_field::function},
    {"type", node_field::type},
    {"operator", node_field::operator_},
    {"initializer", node_field::initializer},
    {"update", node_field::update},
    {"name", node_field::name},
    {"field", node_field::member},
    {"assembly_code", node_field::assembly_code},
};

struct grammar {
    std::vector<node_kind> kinds;    // by symbol
    std::vector<node_field> fields;  // by field id

    explicit grammar(const TSLanguage* language)
        : kinds(ts_language_symbol_count(language), node_kind::leaf),
          fields(ts_language_field_count(language) + 1, node_field::none) {
        for (std::uint32_t i = 0; i < kinds.size(); ++i) {
            const auto symbol = static_cast<TSSymbol>(i);
            if (ts_language_symbol_type(language, symbol) != TSSymbolTypeRegular) continue;
            kinds[i] = node_kind::other;
            const std::string_view name = ts_language_symbol_name(language, symbol);
            for (const auto& [known, kind] : kind_names)
                if (known == name) kinds[i] = kind;
        }
        for (std::uint32_t i = 1; i < fields.size(); ++i) {
            const std::string_view name =
                ts_language_field_name_for_id(language, static_cast<TSFieldId>(i));
            for (const auto& [known, field] : field_names)
                if (known == name) fields[i] = field;
        }
    }

    node_kind of(TSNode node) const {
        const TSSymbol symbol = ts_node_symbol(node);
        return symbol < kinds.size() ? kinds[symbol] : node_kind::error;
    }
};

}  // namespace

struct tree_parser::state {
    TSParser* parser = ts_parser_new();
    grammar known{tree_sitter_cuda()};
    state() { ts_parser_set_language(parser, tree_sitter_cuda()); }
    state(const state&) = delete;
    state& operator=(const state&) = delete;
    ~state() { ts_parser_delete(parser); }
};

tree_parser::tree_parser() : state_(std::make_unique<state>()) {}
tree_parser::~tree_parser() = default;

bool tree_parser::parse(const token_stream& code, token_range range,
                        std::vector<tree_node>& nodes) {
    nodes.clear();
    if (range.empty()) return false;
    const std::uint32_t from = code.tokens[range.first].begin;
    const std::uint32_t length = code.tokens[range.end - 1].end - from;
    TSTree* const tree =
        ts_parser_parse_string(state_->parser, nullptr, code.text.data() + from, length);
    if (tree == nullptr) {
        ts_parser_reset(state_->parser);
        return false;
    }
    TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
    std::uint32_t token = range.first, parent = 0;
    const auto skip_to = [&](std::uint32_t byte) {
        while (token < range.end && code.tokens[token].begin < byte) ++token;
    };
    for (bool more = true; more;) {
        const TSNode node = ts_tree_cursor_current_node(&cursor);
        skip_to(from + ts_node_start_byte(node));
        const auto index = static_cast<std::uint32_t>(nodes.size());
        nodes.push_back({state_->known.of(node),
                         state_->known.fields[ts_tree_cursor_current_field_id(&cursor)], parent,
                         index + 1, token, token});
        if (ts_tree_cursor_goto_first_child(&cursor)) {
            parent = index;
            continue;
        }
        skip_to(from + ts_node_end_byte(node));
        nodes[index].last = token;
        while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
            more = ts_tree_cursor_goto_parent(&cursor);
            if (!more) break;
            nodes[parent].end = static_cast<std::uint32_t>(nodes.size());
            nodes[parent].last = token;
            parent = nodes[parent].parent;
        }
    }
    ts_tree_cursor_delete(&cursor);
    ts_tree_delete(tree);
    return true;
}

}  // namespace cuset::syntax
