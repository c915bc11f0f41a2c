#include "targets.h"

#include <fcntl.h>
#include <simdjson.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "cuset/ask/task_ask.h"
#include "cuset/host/translation.h"
#include "cuset/judge/candidate.h"
#include "cuset/judge/verdict.h"
#include "cuset/stream/line_reader.h"
#include "cuset/stream/pair_record.h"
#include "cuset/syntax/answer_files.h"
#include "cuset/syntax/program_text.h"
#include "cuset/syntax/tagger.h"
#include "cuset/text/tokenizer.h"
#ifdef CUSET_FUZZ_MODEL
#include "cuset/model/config.h"
#include "cuset/model/safetensors.h"
#endif

namespace cuset::fuzz {
namespace {

void read_record(std::string_view bytes) {
    static record_reader reader({.parts = record_part::response | record_part::prompt |
                                          record_part::tag | record_part::roles |
                                          record_part::score,
                                 .own_key = "window",
                                 .prompt_field = {},
                                 .response_field = {}});
    static pair_record record;
    std::string padded(bytes);
    padded.append(line_padding, '\0');
    const line l{std::string_view(padded).substr(0, bytes.size()), 1};
    // The window is the other reader's own key, and that reader does not look into it.
    static record_reader window_reader(
        {.parts = record_part::window, .own_key = "", .prompt_field = {}, .response_field = {}});
    static pair_record windowed;
    static_cast<void>(window_reader.read(l, windowed));
    if (!reader.read(l, record)) return;
    if (record.closing_brace >= bytes.size() || bytes[record.closing_brace] != '}')
        broken("an accepted record ends with a brace");
    std::string once;
    splice(record, "window", "[1]", once);
    once.pop_back();
    const std::size_t size = once.size();
    once.append(line_padding, '\0');
    pair_record again;
    if (!reader.read({std::string_view(once).substr(0, size), 1}, again) || !again.has_own_key)
        broken("a spliced record is a record with the key");
    if (again.response != record.response && !record.response.empty())
        broken("splicing leaves the response alone");
}

// Calls read(line) with the padding that readers ask for.
template <class Read>
void with_padding(std::string_view bytes, const Read& read) {
    std::string padded(bytes);
    padded.append(line_padding, '\0');
    read(std::string_view(padded).substr(0, bytes.size()));
}

// Asks the record in every way.
void ask_task(std::string_view bytes) {
    static const std::vector<task_ask> asks = [] {
        std::vector<task_ask> made;
        for (const char* name :
             {"auto", "plain", "cudabench", "computeeval", "harness", "kernelbench", "counting"})
            made.push_back(task_ask::open({.ask = name, .prompt_field = {}}).value());
        return made;
    }();
    static record_reader reader([] {
        record_options wanted{.parts = record_part::prompt,
                              .own_key = {},
                              .questions = true,
                              .prompt_field = {},
                              .response_field = {}};
        complete(wanted, {.ask = "auto", .prompt_field = {}});
        return wanted;
    }());
    static pair_record record;
    with_padding(bytes, [](std::string_view text) {
        if (!reader.read({text, 1}, record)) return;
        for (const record_member& member : record.members)
            if (member.json.data() < text.data() || member.json.empty() ||
                member.json.data() + member.json.size() > text.data() + text.size())
                broken("members lie in the line");
        for (const task_ask& ask : asks)
            if (ask.apply(record) && record.conversation.empty())
                broken("a task that can be asked has a conversation");
    });
}

void read_candidate(std::string_view bytes) {
    static candidate_reader reader;
    with_padding(bytes, [](std::string_view line) {
        const auto found = reader.read(line);
        if (!found) return;
        if (found->empty()) broken("an accepted line has a candidate");
        for (const auto& c : *found)
            if (c.sample > 10'000) broken("a sample has a place in reports");
    });
}

void read_verdict(std::string_view bytes) {
    static verdict_reader reader;
    with_padding(bytes, [](std::string_view text) {
        const auto read = reader.read(text);
        if (!read) return;
        with_padding(to_line(*read), [&](std::string_view again) {
            const auto same = reader.read(again);
            if (!same || to_line(*same) != again) broken("a verdict is written as it is read");
        });
    });
}

void find_answer(std::string_view bytes) {
    constexpr std::string_view stems[] = {"cub", "thrust"};
    if (const auto at = find_program_of_cudabench(bytes, cudabench_tags::any_word); at)
        if (at->begin > at->end || at->end > bytes.size())
            broken("CUDABench's program lies within the answer");
    for (const auto& file : find_answer_files(bytes))
        if (file.content.size() > bytes.size() || file.path.size() > bytes.size())
            broken("a file is a part of the answer");
    for (const auto choice : {fence_choice::first, fence_choice::last}) {
        const auto found = find_program(bytes, choice);
        if (!found) continue;
        if (found->begin > found->end || found->end > bytes.size())
            broken("a program lies within the answer");
        static_cast<void>(has_name(bytes.substr(found->begin, found->end - found->begin), stems));
    }
}

/// The number of the last line, by the compiler's count: after `#line 12` comes line 12.
std::size_t last_line_of(std::string_view text) {
    constexpr std::string_view directive = "#line ";
    std::size_t number = 1;
    const auto number_of = [&](std::string_view line) {
        if (line.starts_with(directive))
            std::from_chars(line.data() + directive.size(), line.data() + line.size(), number);
    };
    for (std::size_t end; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1)) {
        ++number;
        number_of(text.substr(0, end));
    }
    number_of(text);
    return text.starts_with(directive) ? number - 1 : number;
}

void translate(std::string_view bytes) {
    for (const auto form : {barrier_form::fibers, barrier_form::split}) {
        const std::string text = translate_for_host(bytes, {}, form).text;
        if (last_line_of(text) != last_line_of(bytes)) broken("a translation keeps the lines");
    }
}

// Reads the bytes as a file, as the tools do.
void read_stream(std::string_view bytes) {
    const int fd = ::memfd_create("stream", MFD_CLOEXEC);
    if (fd < 0 || ::write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
        std::abort();
    auto opened = input::open("/proc/self/fd/" + std::to_string(fd));
    if (!opened) std::abort();
    std::vector<input> inputs;
    inputs.push_back(std::move(opened).value());
    line_reader reader(std::move(inputs), 64);
    line_batch batch;
    std::uint64_t last = 0;
    std::size_t total = 0;
    for (;;) {
        const auto more = reader.next(batch);
        if (!more || !more.value()) break;
        for (const line& l : batch.lines) {
            if (l.number <= last) broken("line numbers rise");
            last = l.number;
            total += l.text.size();
        }
        if (total > 1 << 26) break;  // a zip bomb: reading on would prove nothing more
    }
    ::close(fd);
}

// The lines that the bytes have as a file, read in batches of this size; none after an error.
std::optional<std::vector<std::string>> lines_of(std::string_view bytes, std::size_t batch_bytes) {
    const int fd = ::memfd_create("array", MFD_CLOEXEC);
    if (fd < 0 || ::write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
        std::abort();
    std::vector<input> inputs;
    inputs.push_back(input::open("/proc/self/fd/" + std::to_string(fd)).value());
    line_reader reader(std::move(inputs), batch_bytes);
    line_batch batch;
    std::vector<std::string> lines;
    for (;;) {
        const auto more = reader.next(batch);
        if (!more || !*more) {
            ::close(fd);
            if (!more) return {};
            return lines;
        }
        for (const line& l : batch.lines) lines.emplace_back(l.text);
    }
}

// simdjson's parser of whole documents says which arrays are right, and what is in them.
void read_array(std::string_view bytes) {
    std::string array = "[";
    array += bytes;
    const auto lines = lines_of(array, 4096);
    if (lines != lines_of(array, 1)) broken("the size of batches changes nothing");
    static simdjson::dom::parser whole, part;
    simdjson::dom::array elements;
    const bool is_right = whole.parse(array).get(elements) == simdjson::SUCCESS;
    if (is_right && (!lines || lines->size() != elements.size()))
        broken("a right array is read, with all elements");
    if (!lines) return;
    bool are_right = true;
    simdjson::dom::array::iterator element;
    if (is_right) element = elements.begin();
    for (const std::string& text : *lines) {
        if (text.find('\n') != text.npos) broken("an element is one line");
        simdjson::dom::element alone;
        are_right = are_right && part.parse(text).get(alone) == simdjson::SUCCESS;
        if (!is_right) continue;
        if (!are_right || simdjson::minify(alone) != simdjson::minify(*element))
            broken("an element is what it was in the array");
        ++element;
    }
    // Nothing but its elements makes an array wrong that is read to its end.
    if (are_right && !is_right) broken("what stands between elements is checked");
}

void tag_text(std::string_view bytes) {
    static tagger taggers[] = {tagger(), tagger({kernel_extent::definition, launch_extent::setup,
                                                 source_language::automatic, true})};
    for (tagger& t : taggers) {
        const tagging found = t.tag(bytes);
        std::size_t begin = 0;
        for (const code_span& span : found.spans) {
            if (span.begin < begin || span.begin > span.end || span.end > bytes.size())
                broken("spans are sorted and lie in the text");
            begin = span.begin;
        }
        begin = 0;
        for (const role_run& run : found.roles) {
            if (run.begin < begin || run.begin >= run.end || run.end > bytes.size())
                broken("runs of roles are sorted, apart and in the text");
            begin = run.end;
        }
    }
}

std::string zstd_of(std::string_view text) {
    std::string out(ZSTD_compressBound(text.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
    return out;
}

void read_tokenizer(std::string_view bytes) {
    const auto words = tokenizer::parse(bytes, "fuzzed");
    if (!words) return;
    std::vector<std::int32_t> ids;
    std::vector<std::size_t> ends;
    static_cast<void>(words->encode("__global__ void k(int* a) { a[0] += 12; }\n\n  é", ids, ends));
    if (ids.size() != ends.size()) broken("as many ends as ids");
    for (const auto id : ids)
        if (id < 0 || static_cast<std::size_t>(id) >= words->vocab_size())
            broken("ids lie in the vocabulary");
}

constexpr std::string_view small_tokenizer =
    R"({"version":"1.0","truncation":null,"padding":null,"added_tokens":[{"id":4,"content":"<e>",)"
    R"("single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true}],)"
    R"("normalizer":null,"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,)"
    R"("trim_offsets":true,"use_regex":true},"post_processor":null,"decoder":{"type":"ByteLevel",)"
    R"("add_prefix_space":true,"trim_offsets":true,"use_regex":true},"model":{"type":"BPE",)"
    R"("dropout":null,"unk_token":null,"continuing_subword_prefix":null,"end_of_word_suffix":null,)"
    R"("fuse_unk":false,"byte_fallback":false,"ignore_merges":false,)"
    R"("vocab":{"i":0,"n":1,"t":2,"in":3,"int":5},"merges":[["i","n"],["in","t"]]}})";

#ifdef CUSET_FUZZ_MODEL
void read_config(std::string_view bytes) { static_cast<void>(parse_model_config(bytes)); }

void read_safetensors(std::string_view bytes) {
    const auto tensors = parse_safetensors(std::as_bytes(std::span(bytes.data(), bytes.size())));
    if (!tensors) return;
    const auto* const begin = reinterpret_cast<const std::byte*>(bytes.data());
    for (const stored_tensor& tensor : tensors.value())
        if (tensor.bytes.size() > 0 &&
            (tensor.bytes.data() < begin ||
             tensor.bytes.data() + tensor.bytes.size() > begin + bytes.size()))
            broken("tensors lie in the file");
}

std::string small_safetensors() {
    const std::string header =
        R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
        R"("b":{"dtype":"BF16","shape":[3],"data_offsets":[8,14]}})";
    std::string file(8, '\0');
    const std::uint64_t size = header.size();
    std::memcpy(file.data(), &size, 8);
    return file + header + std::string(14, 'x');
}

constexpr std::string_view small_config =
    R"({"architectures":["LlamaForCausalLM"],"model_type":"llama","hidden_act":"silu",)"
    R"("hidden_size":64,"intermediate_size":96,"num_attention_heads":4,"num_hidden_layers":2,)"
    R"("num_key_value_heads":2,"vocab_size":100,"max_position_embeddings":64,"rms_norm_eps":1e-5,)"
    R"("rope_theta":1e5,"rope_scaling":{"type":"linear","factor":4.0},)"
    R"("tie_word_embeddings":true,"torch_dtype":"bfloat16"})";
#endif

}  // namespace

void broken(std::string_view property) {
    std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(property.size()),
                 property.data());
    std::abort();
}

std::vector<target> all_targets() {
    const std::string pair =
        R"({"id":"k1","prompt":"p","response":"__global__ void k() {}\n\u00e9","x":[1,-2.5e3,null],)"
        R"("tag":{"spans":[{"kind":"kernel","name":"k","begin":20,"end":22}]},)"
        R"("score":{"end":[3,9],"id":[1,2],"confidence":[0.5,1e-9]},"window":{"a":1}})";
    const std::string chat =
        R"({"messages":[{"role":"user","content":[{"type":"text","text":"q"}]},)"
        R"({"role":"assistant","content":"a\ud800"}],"score":{"end":[],"confidence":[]}})";
    const std::string task =
        R"({"id":1,"task_name":"n","level1_prompt":"l","gpu":1e999,"inputs":[{"name":"x",)"
        R"("dtype":"float32","shape":"[16, 4]"}],"outputs":[{"name":"y","dtype":"bool","shape":[]}]})";
    const std::string problem =
        R"({"task_id":"a/1","prompt":"p\ud800","context_files":[{"path":"a.h","content":"```"}],)"
        R"("build_command":"nvcc","harness":"#include <a>\n#include \"solution.cu\"",)"
        R"("nvcc_flags":["-O3"]})";
    const std::string source =
        "template <int N> __global__ __launch_bounds__(N) void k(float* x) {\n"
        "#if 0\n  {\n#else\n  x[0] = R\"(})\"[0];\n#endif\n}\nint main() { k<4><<<dim3(1), 32, 0, "
        "s>>>(p); cudaLaunchKernel((void*)k<2>, g, b, args, 0, s); }\n";
    std::vector<target> targets = {
        {"record", read_record, {pair, chat}},
        {"ask", ask_task, {pair, chat, task, problem}},
        {"stream",
         read_stream,
         {pair + "\n\n" + chat, zstd_of(pair + "\n" + chat + "\n"),
          zstd_of(pair) + zstd_of("\n" + chat)}},
        {"array",
         read_array,
         {pair + "," + chat + "]", " 1 , \"a\\\"]\",\n[{}, [ ] ],null\r\n,{\"a\"\n:\t1}\n]\n"}},
        {"candidate",
         read_candidate,
         {R"({"task":16,"sample":0,"response":"a\ud800","tokens":743})",
          R"({"id":"k","code1":"","response1":null,"code2":"int main() {}","response3":"x"})"}},
        {"verdict",
         read_verdict,
         {R"({"task":16,"sample":0,"family":"f","stage":"ran","failure":"wrong_output",)"
          R"("diagnostic":"d","seconds":{"compile":1.5,"run":0.5,"compare":0},"tokens":null,)"
          R"("key":")" +
          std::string(64, 'b') + R"(","task_hash":")" + std::string(64, 'c') +
          R"(","backend":"gpu",)"
          R"("toolchain":"nvcc 13"})"}},
        {"answer",
         find_answer,
         {"<think>\n```\nx\n```\n</think>\ntext\n```cuda\n" + source + "```\nmore\n~~~cpp\n" +
              source,
          source}},
        {"translation",
         translate,
         {source,
          "#define S __shared__\n#define HD __host__ __device__\n#define RUN(k, ...) \\\n  "
          "k<<<1, \\\n 1>>>(__VA_ARGS__)\nHD int f() { return 1; }\nextern __shared__ int z[];\n"
          "__global__ void k(int n) {\n  __shared__ B<int, 3> a[2][3], *b;\n  S int (*c)[4];\n"
          "#if __CUDA_ARCH__ >= 700\n  extern __shared__ char d[];\n#endif\n  f(); std::max(1, "
          "n);\n"
          "}\nint main() { RUN(k, 3); cudaLaunchKernelEx(&c, k, 3); }\n"}},
        {"tagger",
         tag_text,
         {source, "text\n```cuda\n" + source + "```\nmore\n",
          "src = r'''\n" + source + "'''\nmod = load_inline('n', src)\n"}},
    };
    targets.push_back({"tokenizer", read_tokenizer, {std::string(small_tokenizer)}});
#ifdef CUSET_FUZZ_MODEL
    const std::string in_4_bits =
        R"({"quantization_config":{"quant_method":"bitsandbytes","load_in_4bit":true,)"
        R"("bnb_4bit_quant_type":"nf4"},)";
    targets.push_back(
        {"config",
         read_config,
         {std::string(small_config), in_4_bits + std::string(small_config.substr(1))}});
    targets.push_back({"safetensors", read_safetensors, {small_safetensors()}});
    targets.push_back({"stored_nf4", read_nf4_file, nf4_files()});
#endif
    return targets;
}

}  // namespace cuset::fuzz
