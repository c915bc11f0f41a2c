#include "cuset/stream/score_value.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace cuset {

void begin_score(json_writer& json, std::string_view model, std::span<const std::size_t> ends,
                 std::span<const std::int32_t> ids, std::span<const float> log_probabilities) {
    json.begin_object().member("model", model).key("end").values(ends);
    json.key("id").values(ids);
    json.key("confidence").begin_array();
    for (const float log_p : log_probabilities)
        json.value(std::max(std::exp(static_cast<double>(log_p)), DBL_MIN), 6);
    json.end_array();
}

}  // namespace cuset
