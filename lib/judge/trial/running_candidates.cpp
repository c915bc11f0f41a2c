#include "trial/running_candidates.h"

#include <iterator>
#include <utility>

namespace cuset {

running_candidates::entry::entry(running_candidates& all, std::string name) : all_(all) {
    const std::lock_guard lock(all_.mutex_);
    all_.running_.emplace_back(std::move(name), clock::now());
    place_ = std::prev(all_.running_.end());
}

running_candidates::entry::~entry() {
    const std::lock_guard lock(all_.mutex_);
    all_.running_.erase(place_);
}

std::string running_candidates::describe() const {
    const std::lock_guard lock(mutex_);
    if (running_.empty()) return {};
    const auto& [name, begun] = running_.front();
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(clock::now() - begun).count();
    if (seconds < 1) return {};
    std::string text = name;
    text += " for ";
    text += std::to_string(seconds);
    text += " s";
    if (running_.size() > 1) text += " and " + std::to_string(running_.size() - 1) + " more";
    return text;
}

}  // namespace cuset
