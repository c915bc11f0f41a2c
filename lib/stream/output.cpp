#include "cuset/stream/output.h"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

namespace cuset {

struct output::state {
    explicit state(output_file opened) : file(std::move(opened)) {}
    status compress(std::string_view bytes, ZSTD_EndDirective directive);
    status write_out(std::string_view bytes);
    void leave_frame_open();

    output_file file;
    std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context{nullptr, ZSTD_freeCCtx};
    std::vector<char> buffer;  // bytes that wait for the next write(2)
    std::size_t used = 0;
    bool is_untouched = true;  // nothing has been written out
    bool is_finished = false;
};

namespace {
// Plain output gathers small writes; a zstd block is at most 128 KiB anyway.
constexpr std::size_t buffer_size = 128 * 1024;

// A name that promises a form that the content would not have.
status check_name(const output_options& options) {
    std::string name = options.path;
    for (char& c : name)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const auto ends_in_one_of = [&](std::initializer_list<std::string_view> endings) {
        return std::any_of(endings.begin(), endings.end(),
                           [&](auto ending) { return name.ends_with(ending); });
    };
    const bool is_compressed = ends_in_one_of({".gz", ".bz2", ".xz", ".lz4", ".zip", ".7z"});
    // These would be plain text without a word.
    const bool is_misspelt = ends_in_one_of({".zst", ".zstd"}) && !options.path.ends_with(".zst");
    const bool is_table = ends_in_one_of({".parquet", ".arrow", ".csv", ".tsv", ".xlsx"});
    if (is_compressed)
        return usage_error(options.path +
                           ": files are plain text, or zstd where the name ends in .zst; for "
                           "another compression pipe --plain's output to it");
    if (is_misspelt)
        return usage_error(options.path +
                           ": a file is compressed where its name ends in .zst, spelt so");
    if (is_table && options.form == output_form::records)
        return usage_error(options.path + ": records are written as JSON Lines alone");
    return {};
}

}  // namespace

output::output(std::unique_ptr<state> s) : state_(std::move(s)) {}
output::output(output&&) noexcept = default;
output::~output() {
    if (state_ && !state_->is_finished) state_->leave_frame_open();
}

result<output> output::open(const output_options& options) {
    CUSET_TRY(check_name(options));
    CUSET_ASSIGN(output_file file, output_file::open(options.path));
    const bool compress = options.path == "-" ? options.form == output_form::records &&
                                                    !options.plain && !file.is_terminal()
                                              : options.path.ends_with(".zst");
    auto s = std::make_unique<state>(std::move(file));
    s->buffer.resize(buffer_size);
    if (compress) {
        s->context.reset(ZSTD_createCCtx());
        if (!s->context) return io_error(s->file.name(), ENOMEM);
        ZSTD_CCtx_setParameter(s->context.get(), ZSTD_c_compressionLevel,
                               options.compression_level);
        ZSTD_CCtx_setParameter(s->context.get(), ZSTD_c_checksumFlag, 1);
    }
    return output(std::move(s));
}

status output::state::write_out(std::string_view bytes) {
    if (!bytes.empty()) is_untouched = false;
    return file.write(bytes);
}

void output::state::leave_frame_open() {
    if (!context || !is_untouched || !file.is_visible_while_written()) return;
    const std::uint32_t magic = ZSTD_MAGICNUMBER;
    std::array<char, sizeof magic> bytes;
    std::memcpy(bytes.data(), &magic, sizeof magic);
    // an error is being reported already
    static_cast<void>(file.write({bytes.data(), bytes.size()}));
}

status output::state::compress(std::string_view bytes, ZSTD_EndDirective directive) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    for (;;) {
        ZSTD_outBuffer out{buffer.data(), buffer.size(), used};
        const std::size_t left = ZSTD_compressStream2(context.get(), &out, &in, directive);
        if (ZSTD_isError(left))
            return data_error(file.name() + ": zstd: " + ZSTD_getErrorName(left));
        used = out.pos;
        const bool done = directive == ZSTD_e_continue ? in.pos == in.size : left == 0;
        if (used == buffer.size() || (done && directive != ZSTD_e_continue)) {
            CUSET_TRY(write_out({buffer.data(), used}));
            used = 0;
        }
        if (done) return {};
    }
}

status output::write(std::string_view bytes) {
    state& s = *state_;
    if (s.context) return s.compress(bytes, ZSTD_e_continue);
    if (s.used + bytes.size() > s.buffer.size()) {
        CUSET_TRY(s.write_out({s.buffer.data(), s.used}));
        s.used = 0;
        if (bytes.size() >= s.buffer.size()) return s.write_out(bytes);
    }
    bytes.copy(s.buffer.data() + s.used, bytes.size());
    s.used += bytes.size();
    return {};
}

status output::flush() {
    state& s = *state_;
    if (s.context) return s.compress({}, ZSTD_e_flush);
    const std::size_t waiting = std::exchange(s.used, 0);
    return s.write_out({s.buffer.data(), waiting});
}

status output::finish() {
    state& s = *state_;
    CUSET_TRY(s.context ? s.compress({}, ZSTD_e_end) : flush());
    s.is_finished = true;
    return s.file.commit();
}

void output::abandon() { state_->is_finished = true; }

file_identity output::identity() const { return state_->file.identity(); }

}  // namespace cuset
