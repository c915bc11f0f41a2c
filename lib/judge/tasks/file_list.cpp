#include "tasks/file_list.h"

#include <string>
#include <string_view>

#include "tasks/record_fields.h"

namespace cuset {

namespace dom = simdjson::dom;

status read_files(const dom::object& fields, const char* key, std::vector<task_file>& out) {
    if (!has(fields, key)) return {};
    dom::array array;
    if (last_field(fields, key).get(array)) return of_field(key, "is no array");
    for (const dom::element element : array) {
        dom::object file;
        std::string_view path, content;
        if (element.get(file) || last_field(file, "path").get(path) ||
            last_field(file, "content").get(content))
            return of_field(key, "has an element without the strings \"path\" and \"content\"");
        CUSET_TRY(check_length(key, content));
        path = without_dots(path);
        if (std::string fault = path_fault(path); !fault.empty())
            return of_field(key, "has a path that " + fault + ": " + std::string(path));
        out.push_back({std::string(path), std::string(content)});
    }
    return {};
}

}  // namespace cuset
