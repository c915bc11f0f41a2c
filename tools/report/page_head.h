// A report as the tables of its page.
#pragma once

#include <string>
#include <vector>

#include "cuset/judge/report.h"
#include "cuset/view/report_page.h"

namespace cuset {

/// `families` is what the tasks' families are, "family" or "task_name". The groups are a table
/// unless each has one task, which says no more than the answers themselves.
report_head head_of(const evaluation_report& report, const std::vector<family_group>& groups,
                    const std::string& families, const std::string& verdicts);

}  // namespace cuset
