// The options of cuset-view.
#pragma once

#include <optional>
#include <string>

#include "cuset/base/status.h"
#include "cuset/cli/option_table.h"
#include "cuset/view/terminal_view.h"
#include "tool.h"

namespace cuset {

struct view_flags {
    stream_flags stream;
    std::string id;
    std::int64_t hardest = 0;
    std::string within = "kernel";  ///< what `hardest` ranks
    std::int64_t context = -1;
    std::string roles;
    std::int64_t size = 0;
    bool clipped = false;
    std::string comments = "keep";
    std::int64_t smooth = 16;
    std::string html;
    bool compare = false;
    std::string color = "auto";
    std::string theme = "auto";
    std::int64_t width = 0;
    field_flags fields;
};

/// The program's options over `flags`.
program describe(view_flags& flags);

/// Checks what no option shows alone.
status check(const view_flags& flags);

/// The destination of the output: the file of --html or of -o.
std::string output_path(const view_flags& flags);
bool is_on_terminal(const view_flags& flags);

/// The roles that --roles names; a usage error if one of them is none.
result<role_set> chosen_roles(const view_flags& flags);

/// Of --size, --clipped and --comments.
window_search_options chosen_window(const view_flags& flags);

/// Nothing without --context.
std::optional<std::size_t> chosen_context(const view_flags& flags);

/// Follows the options, the environment (NO_COLOR, COLORTERM, TERM, COLORFGBG) and the terminal.
terminal_style chosen_style(const view_flags& flags, const role_set& roles);

}  // namespace cuset
