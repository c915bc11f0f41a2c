// What -V says of the libraries under the tagger.
#pragma once

#include <string>

namespace cuset {

/// Lines such as "tree-sitter 0.25.2". Of the archives they were built from: the grammar's own
/// metadata lags behind its releases, and the runtime tells no version at all.
std::string syntax_library_versions();

}  // namespace cuset
