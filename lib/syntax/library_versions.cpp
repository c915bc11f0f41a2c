#include "cuset/syntax/library_versions.h"

namespace cuset {

std::string syntax_library_versions() {
    return "tree-sitter " CUSET_TREE_SITTER_VERSION
           "\ntree-sitter-cuda " CUSET_TREE_SITTER_CUDA_VERSION "\n";
}

}  // namespace cuset
