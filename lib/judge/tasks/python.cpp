#include "cuset/judge/python.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "cuset/sandbox/file_text.h"
#include "cuset/sandbox/program_path.h"
#include "cuset/sandbox/text_lines.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

/// The program itself comes first: what was asked for may be a script that looks for it, as pyenv's
/// are, in folders that a sandbox does not have.
constexpr const char* tell_places =
    "import os, sys\n"
    "places = [sys.prefix, sys.base_prefix, sys.exec_prefix] + sys.path\n"
    "places.append(os.path.dirname(sys.executable))\n"
    "places.append(os.path.dirname(os.path.realpath(sys.executable)))\n"
    "print('\\n'.join([sys.executable] + [p for p in places if os.path.isdir(p)]))\n";

/// Prints the number of a program and a module for each that is missing. Python's own parser knows
/// an import from a line of a docstring.
constexpr const char* tell_missing =
    "import ast, importlib.util, sys\n"
    "found = {}\n"
    "for number in range(int(sys.argv[1])):\n"
    "    try:\n"
    "        body = ast.parse(open(f'{number}.py', 'rb').read()).body\n"
    "    except (SyntaxError, ValueError, RecursionError):\n"
    "        continue\n"
    "    names = [a.name for s in body if isinstance(s, ast.Import) for a in s.names]\n"
    "    names += [s.module for s in body if isinstance(s, ast.ImportFrom) and not s.level]\n"
    "    for name in {name.split('.')[0] for name in names}:\n"
    "        if name not in found:\n"
    "            try:\n"
    "                found[name] = importlib.util.find_spec(name) is not None\n"
    "            except (ImportError, ValueError):\n"
    "                found[name] = True\n"
    "        if not found[name]:\n"
    "            print(number, name)\n";

bool is_below(const fs::path& path, const fs::path& folder) {
    const fs::path below = path.lexically_relative(folder);
    return !below.empty() && *below.begin() != "..";
}

}  // namespace

result<python_interpreter> python_interpreter::find(const std::string& python) {
    python_interpreter found;
    std::error_code error;
    const std::string path = python.find('/') != python.npos ? python : program_in_path(python);
    found.program = fs::absolute(path, error);
    if (path.empty() || !fs::exists(found.program, error))
        return unsupported(python + " is not there: the tasks' gen.py and compare.py need it");
    CUSET_ASSIGN(const sandbox plain, sandbox::open(true));
    sandbox_request request;
    // The path has no current folder.
    request.command = {found.program.string(), "-P", "-c", tell_places};
    request.work = "/";
    request.limits.file_bytes = UINT64_MAX;
    CUSET_ASSIGN(run_report report, plain.run(request));
    if (report.end == run_end::exited && report.code != 0) {
        // for versions before 3.11
        request.command = {found.program.string(), "-I", "-c", tell_places};
        CUSET_ASSIGN(report, plain.run(request));
    }
    if (!report.succeeded())
        return unsupported(python + " does not run: " + std::string(first_line(report.err)));
    std::string_view rest = report.out;
    const fs::path itself = take_line(rest);
    if (itself.is_absolute() && fs::exists(itself, error)) found.program = itself;
    while (!rest.empty()) {
        const fs::path place = take_line(rest);
        const bool there = is_below(place, "/usr") ||
                           std::any_of(found.mounts.begin(), found.mounts.end(),
                                       [&](const auto& m) { return is_below(place, m.host); });
        if (place.is_absolute() && place != "/" && !there) found.mounts.push_back({place, place});
    }
    return found;
}

status python_interpreter::check(const sandbox& box, const fs::path& work) const {
    CUSET_TRY(make_folder(work));
    sandbox_request request;
    request.command = {program.string(), "-c", "pass"};
    request.work = work;
    request.mounts = mounts;
    CUSET_ASSIGN(const run_report report, box.run(request));
    if (report.succeeded()) return {};
    return unsupported(program.string() +
                       " does not run in the sandbox: " + std::string(first_line(report.err)));
}

result<std::vector<std::vector<std::string>>> python_interpreter::missing_modules(
    const sandbox& box, const fs::path& work, const std::vector<std::string_view>& programs) const {
    CUSET_TRY(make_folder(work));
    for (std::size_t i = 0; i < programs.size(); ++i)
        CUSET_TRY(write_text(work / (std::to_string(i) + ".py"), programs[i]));
    sandbox_request request;
    request.command = {program.string(), "-c", tell_missing, std::to_string(programs.size())};
    request.work = work;
    request.mounts = mounts;
    CUSET_ASSIGN(const run_report report, box.run(request));
    if (!report.succeeded())
        return unsupported(program.string() +
                           " cannot look modules up: " + std::string(last_line(report.err)));
    std::vector<std::vector<std::string>> missing(programs.size());
    std::istringstream lines(report.out);
    std::size_t number = 0;
    for (std::string name; lines >> number >> name;)
        if (number < missing.size()) missing[number].push_back(name);
    return missing;
}

}  // namespace cuset
