// The licence of a program, by what its comments or its repository say.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cuset {

/// Of a program's comments: the SPDX expression behind "SPDX-License-Identifier:", such as
/// "MIT OR Apache-2.0" (the first counts); or else what license_in() finds in all of them.
std::string license_of(std::span<const std::string_view> comments);

/// The licences whose usual notice or text this holds, by their SPDX names with AND between them;
/// "LicenseRef-NVIDIA-proprietary" and "LicenseRef-all-rights-reserved" for those notices, the
/// latter where nothing else is found; "unknown" where the text speaks of a copyright or a licence
/// and it is none of these; else "none". Case, white space and marks do not count, so that the
/// lines of a notice may be comments of their own.
std::string license_in(std::string_view text);

/// Whether an expression may be used by whoever may use these licences: one side of each OR, both
/// of each AND. A licence WITH an exception is one name. Case does not count in names. An
/// expression with brackets, which is not read, may not.
bool is_allowed(std::string_view expression, std::span<const std::string> allowed);

/// The names that a list of allowed licences may have: SPDX's (its list 3.27), and none and
/// unknown.
std::vector<std::string> license_names();
/// Whether it is one of them, in any case, with any exception; or begins with "LicenseRef-".
bool is_license_name(std::string_view name);

/// Whether a file of a repository is by its name the licence of the files around it: LICENSE,
/// LICENCE, COPYING or COPYRIGHT, with any ending or suffix ("LICENSE-MIT", "license.txt").
bool is_license_file(std::string_view file_name);

}  // namespace cuset
