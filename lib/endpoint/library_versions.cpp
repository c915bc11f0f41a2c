#include "cuset/endpoint/library_versions.h"

#include <curl/curl.h>

namespace cuset {

std::string endpoint_library_versions() {
    return std::string("libcurl ") + curl_version_info(CURLVERSION_NOW)->version + '\n';
}

}  // namespace cuset
