#include "verdict/profile_record.h"

#include <cmath>

#include "cuset/base/visible_text.h"

namespace cuset {

namespace {

constexpr int digits = 6;

struct named_figure {
    std::string_view name;
    double roofline_score::*figure;
};

constexpr named_figure shares[] = {
    {"score", &roofline_score::score},
    {"bandwidth_utilization", &roofline_score::bandwidth_utilization},
    {"compute_efficiency", &roofline_score::compute_efficiency},
};
constexpr named_figure speeds[] = {
    {"flops_per_second", &roofline_score::flops},
    {"bytes_per_second", &roofline_score::bytes},
    {"peak_flops_per_second", &roofline_score::peak_flops},
    {"peak_bytes_per_second", &roofline_score::peak_bytes},
};

/// False unless all are numbers from 0 on.
template <class Figures>
bool read_figures(const simdjson::dom::element& json, const Figures& figures,
                  roofline_score& found) {
    for (const auto& [name, figure] : figures) {
        double& number = found.*figure;
        if (json[name].get(number) || !std::isfinite(number) || number < 0) return false;
    }
    return true;
}

}  // namespace

void write_profile(const program_profile& profile, json_writer& json) {
    json.begin_object();
    if (!profile.not_profiled.empty()) {
        json.member("not_profiled", profile.not_profiled).end_object();
        return;
    }
    const roofline_score& r = profile.roofline;
    for (const auto& [name, figure] : shares) json.member(name, r.*figure, digits);
    json.member("kernel", r.kernel).member("kernels", r.kernels).member("launches", r.launches);
    for (const auto& [name, figure] : speeds) json.member(name, r.*figure, digits);
    json.end_object();
}

result<program_profile> read_profile(simdjson::dom::element json) {
    program_profile profile;
    if (std::string_view why; !json["not_profiled"].get(why) && !why.empty()) {
        profile.not_profiled = visible_text(why);
        return profile;
    }
    roofline_score& found = profile.roofline;
    std::string_view kernel;
    if (json["kernel"].get(kernel) || json["kernels"].get(found.kernels) || found.kernels == 0 ||
        json["launches"].get(found.launches) || found.launches == 0 ||
        !read_figures(json, shares, found) || !read_figures(json, speeds, found))
        return data_error("no verdict: \"profile\" is wrong");
    found.kernel = visible_text(kernel);
    return profile;
}

}  // namespace cuset
