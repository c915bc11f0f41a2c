#include "cuset/train/run_folder.h"

#include <fcntl.h>
#include <simdjson.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <map>
#include <string_view>
#include <vector>

#include "cuset/stream/output_file.h"
#include "cuset/train/checkpoint.h"
#include "cuset/train/loss_curve.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

/// The content of a small file; empty if there is none.
std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

constexpr const char* files_of_a_run[] = {
    "run.json",          "adapter_model.safetensors",    "adapter_config.json",
    "model.safetensors", "model.safetensors.index.json", "config.json",
    "trainer_log.jsonl"};

/// Removes the temporary files of a run that was killed while it wrote.
void tidy_files(const fs::path& path) {
    std::error_code ignored;
    std::vector<fs::path> leftovers;
    for (const auto& entry : fs::directory_iterator(path, ignored)) {
        const std::string name = entry.path().filename().string();
        const auto is_ours = [&](const char* file) { return is_temporary_name(name, file); };
        if (is_ours("loss_curve.svg") || is_ours("trainer_log.csv") ||
            std::ranges::any_of(files_of_a_run, is_ours))
            leftovers.push_back(entry.path());
    }
    for (const auto& leftover : leftovers) fs::remove(leftover, ignored);
}

/// The content of `path` that prevents a new run; empty: nothing does.
std::string occupant(const fs::path& path) {
    std::error_code ignored;
    for (const char* name : files_of_a_run)
        if (fs::exists(path / name, ignored)) return name;
    if (const auto checkpoint = latest_checkpoint(path)) return checkpoint->filename().string();
    return {};
}

template <class Line>
void for_lines(const std::string& text, const Line& line) {
    std::string_view rest = text;
    // A last line without its newline was cut off when the process was killed.
    for (std::size_t end; (end = rest.find('\n')) != rest.npos; rest.remove_prefix(end + 1))
        line(rest.substr(0, end + 1));
}

}  // namespace

status check_unused(const fs::path& path) {
    const std::string found = occupant(path);
    if (found.empty()) return {};
    return usage_error(path.string() + " holds " + found +
                       " already: --resume goes on with that run; a new one needs another -o");
}

std::optional<product_choice> recorded_products(const fs::path& path) {
    const std::string record = text_of(path / "run.json");
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    if (record.empty() || parser.parse(record).get(root)) return {};
    std::string_view name;
    if (root["settings"]["products"].get(name)) return product_choice{};
    return product_choice_of(name);
}

result<run_folder> run_folder::open(const fs::path& path, bool resume) {
    run_folder folder;
    folder.path_ = path;
    std::error_code error;
    fs::create_directories(path, error);
    if (error) return io_error(path.string(), error.value());
    folder.lock_ = unique_fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder.lock_) return io_error(path.string(), errno);
    if (::flock(folder.lock_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return status(error_kind::io, path.string() + " is in use by another run");
    std::error_code ignored;
    if (!resume) {
        CUSET_TRY(check_unused(path));
    } else if (!fs::exists(path / "run.json", ignored)) {
        // An adapter or model of another origin is no run to continue.
        if (const std::string found = occupant(path); !found.empty())
            return usage_error(path.string() + " holds " + found +
                               " but no run.json: no run to go on with");
    }
    tidy_checkpoints(path);
    tidy_files(path);

    const std::string record = text_of(path / "run.json");
    if (record.empty()) return folder;
    simdjson::dom::parser parser;
    simdjson::dom::element root, settings;
    if (parser.parse(record).get(root) || root["settings"].get(settings))
        return data_error((path / "run.json").string() + " is no record of a run");
    folder.recorded_ = simdjson::minify(settings);
    bool finished = false;
    if (root["finished"].get(finished) == simdjson::SUCCESS) folder.finished_ = finished;
    std::uint64_t steps = 0;
    if (root["total_steps"].get(steps) == simdjson::SUCCESS) folder.steps_ = steps;
    return folder;
}

status run_folder::write_record(const std::string& json) const {
    return write_whole_file((path_ / "run.json").string(), json);
}

status run_folder::cut_log(std::size_t last_step) {
    const fs::path path = path_ / "trainer_log.jsonl";
    std::string kept;
    simdjson::dom::parser parser;
    for_lines(text_of(path), [&](std::string_view line) {
        std::uint64_t step = 0;
        simdjson::dom::element root;
        if (parser.parse(line.data(), line.size()).get(root) == simdjson::SUCCESS &&
            root["current_steps"].get(step) == simdjson::SUCCESS && step <= last_step &&
            last_step > 0)
            kept += line;
    });
    CUSET_TRY(write_whole_file(path.string(), kept));
    log_ = unique_fd(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    return log_ ? status::ok() : io_error(path.string(), errno);
}

status run_folder::append_log(const std::string& line) {
    CUSET_TRY(write_all(log_.get(), line, (path_ / "trainer_log.jsonl").string()));
    return events_ ? events_->append(line) : status::ok();
}

status run_folder::copy_log_to(const fs::path& events, std::size_t steps_done) {
    CUSET_ASSIGN(events_, event_log::create(events, steps_done + 1));
    return {};
}

status run_folder::write_table() const {
    const std::string log = text_of(path_ / "trainer_log.jsonl");
    std::vector<std::string> columns;
    std::vector<std::map<std::string, std::string>> rows;
    simdjson::dom::parser parser;
    for_lines(log, [&](std::string_view line) {
        simdjson::dom::object members;
        if (parser.parse(line.data(), line.size()).get(members)) return;
        auto& row = rows.emplace_back();
        for (const auto member : members) {
            const std::string name(member.key);
            if (std::ranges::find(columns, name) == columns.end()) columns.push_back(name);
            // Numbers and times: none holds a comma or a quote.
            std::string_view text;
            row[name] = member.value.get(text) ? simdjson::minify(member.value) : std::string(text);
        }
    });
    std::string table;
    const auto add_row = [&](const auto& cell) {
        for (const auto& column : columns) {
            if (&column != &columns.front()) table += ',';
            table += cell(column);
        }
        table += '\n';
    };
    add_row([](const std::string& column) { return column; });
    for (auto& row : rows) add_row([&](const std::string& column) { return row[column]; });
    return write_whole_file((path_ / "trainer_log.csv").string(), table);
}

status run_folder::draw_losses(const std::string& objective) const {
    loss_points points;
    simdjson::dom::parser parser;
    for_lines(text_of(path_ / "trainer_log.jsonl"), [&](std::string_view line) {
        double step = 0, value = 0;
        simdjson::dom::element root;
        if (parser.parse(line.data(), line.size()).get(root) || root["current_steps"].get(step))
            return;
        const auto take = [&](const char* key, std::vector<loss_point>& to) {
            if (root[key].get(value) == simdjson::SUCCESS) to.push_back({step, value});
        };
        take("loss", points.loss);
        take("nll", points.nll);
        take("eval_loss", points.held_out);
    });
    // Weights and masks make the loss another figure than the mean -log p, which held-out samples
    // have, but for dpo's.
    const bool is_same = std::ranges::equal(points.loss, points.nll, [](auto& loss, auto& nll) {
        return std::abs(loss.loss - nll.loss) <= 1e-6 * std::abs(nll.loss) + 1e-9;
    });
    if (is_same || objective == "dpo") points.nll.clear();
    return write_whole_file((path_ / "loss_curve.svg").string(), loss_curve_svg(points, objective));
}

}  // namespace cuset
