// Lists of files in records, [{"path": …, "content": …}]. Private to lib/judge.
#pragma once

#include <simdjson.h>

#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/task_file.h"

namespace cuset {

/// Appends the files of the field `key`, if it is there. A data error names what is wrong: no array,
/// an element without a path and a content, a path that leads out of its folder, a content that is
/// too long.
status read_files(const simdjson::dom::object& fields, const char* key,
                  std::vector<task_file>& out);

}  // namespace cuset
