// A program under several orders of threads, with a backend whose runs are scripted.
#include <functional>

#include "cuset/judge/judge.h"
#include "sandbox/room.h"

using namespace cuset;
using namespace cuset::sandbox_test;

namespace {

struct ending {
    std::string output = "right";  ///< empty: none is written
    int code = 0;
    std::string err, launches;
    stream_need streams = stream_need::none;
};

class scripted_backend final : public program_backend {
public:
    std::vector<ending> endings;  ///< by run
    ending asynchronous;          ///< of every run with asynchronous streams
    std::string counting;
    mutable std::vector<std::uint64_t> seen;
    mutable std::size_t seen_asynchronous = 0;
    compile_end confirmed = compile_end::compiled;

    backend_description description() const override {
        backend_description about{.name = "host", .toolchain = "scripted", .orders = {}};
        about.is_checked = is_checked;
        about.counting = counting;
        for (std::size_t i = 0; i < endings.size(); ++i) about.orders.push_back(i * 11);
        return about;
    }
    status check() const override { return {}; }
    result<compilation> compile(const program_source&, program_form form) const override {
        compilation done;
        if ((form == program_form::in_step && !in_step) ||
            (form == program_form::searched && !search))
            done.end = compile_end::unsupported;
        done.program = form == program_form::searched  ? "/bin/false"
                       : form == program_form::in_step ? "/bin/cat"
                                                       : "/bin/true";
        if (form == program_form::searched && !of_search.empty()) {
            done.end = compile_end::error;
            done.diagnostic = of_search;
        }
        return done;
    }
    result<compilation> confirm(const program_source&) const override {
        compilation done;
        done.end = confirmed;
        done.diagnostic = "no CUDA";
        return done;
    }
    result<run_report> run(const fs::path& program, sandbox_request request, run_order order,
                           const fs::path&) const override {
        if (program == "/bin/false") {
            seconds_of_search = request.limits.seconds;
            is_search_asynchronous = order.has_asynchronous_streams;
            seed_of_search = order.seed;
            std::ofstream(request.work / "data/y.bin") << output_of_search;
            return *search;
        }
        seen.push_back(order.seed);
        seen_asynchronous += order.has_asynchronous_streams;
        const bool is_again = seen.size() > 1 && order.seed == 0 &&
                              seen[seen.size() - 2] == run_order::descending_in_blocks;
        const ending& how = program == "/bin/true" && is_again && again ? *again
                            : program == "/bin/cat"                     ? *in_step
                            : order.has_asynchronous_streams            ? asynchronous
                            : order.seed == run_order::descending_in_blocks
                                ? descending
                                : endings[order.seed / 11];
        if (!how.output.empty()) std::ofstream(request.work / "data/y.bin") << how.output;
        run_report report;
        report.channel_output = how.launches;
        streams_of_run = how.streams;
        report.code = how.code;
        report.err = how.err;
        report.seconds = 1;
        return report;
    }
    std::string has_only_in_part(std::string_view, bool, const program_fault&) const override {
        return names_fault ? "errors after a kernel's fault" : "";
    }
    result<program_outcome> outcome_of(const run_report& report) const override {
        program_outcome outcome;
        if (report.code == 97) outcome.fault = program_fault{fault, "kernel k"};
        if (seen_asynchronous > 0) outcome.survived_fault = survived;
        outcome.cuda_error = error;
        outcome.streams = streams_of_run;
        outcome.kernels = kernels;
        outcome.launches = report.channel_output;
        return outcome;
    }
    bool is_checked = false;
    std::optional<run_report> search;  ///< of the program that is searched for races
    std::string output_of_search = "right";
    ending descending;              ///< of the plain program in that order
    std::optional<ending> again;    ///< of the plain one behind it, in order 0
    std::optional<ending> in_step;  ///< of the program whose warps go in step
    mutable std::uint64_t seed_of_search = 0;
    std::string of_search;  ///< why that program does not compile; or empty
    mutable double seconds_of_search = 0;
    mutable bool is_search_asynchronous = false;
    failure fault = failure::barrier_divergence;
    bool names_fault = false;
    std::optional<program_fault> survived;                   ///< with asynchronous streams
    mutable stream_need streams_of_run = stream_need::none;  ///< in the run before
    std::optional<kernel_use> kernels;
    std::optional<program_fault> error;
};

struct scripted_runs : own_folder {
    scripted_runs() {
        work.id = "1";
        work.family = "f";
        work.outputs = {"y"};
        work.generator = "open('data/y_ref.bin', 'w').write('right')\n";
        work.comparer = "print('T' if open('data/y.bin').read() == 'right' else 'F')\n";
        scripts.box = &box.value();
        scripts.python = python_interpreter::find().value();
        scripts.scratch = folder;
    }
    verdict decide() {
        const judge judging(backend, scripts, options);
        candidate c;
        c.task = "1";
        c.answer = source;
        c.is_code = true;
        auto v = judging.decide(c, work);
        BOOST_REQUIRE(v.is_ok());
        return std::move(v).value();
    }
    result<sandbox> box = sandbox::open(true);
    script_setting scripts;
    scripted_backend backend;
    judge_options options;
    std::string source = "__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n";
    task work;
};

bool has_python(boost::unit_test::test_unit_id) { return python_interpreter::find().is_ok(); }

}  // namespace

BOOST_AUTO_TEST_SUITE(orders, *boost::unit_test::precondition(has_python))

BOOST_FIXTURE_TEST_CASE(all_right, scripted_runs) {
    backend.endings.resize(3);
    backend.endings[1].launches = "0 k 1 a\n";  // device memory that differs is no finding
    const verdict v = decide();
    BOOST_TEST((v.passed() && v.reached == stage::correct));
    BOOST_TEST(v.run_seconds == 3.0);
    BOOST_TEST((backend.seen == std::vector<std::uint64_t>{0, 11, 22}));
}

BOOST_FIXTURE_TEST_CASE(streams_that_need_the_host, scripted_runs) {
    backend.endings.resize(2);
    backend.endings[0] = {"", 97, "", "", stream_need::needed};
    const verdict v = decide();
    BOOST_TEST((v.passed() && v.order == "asynchronous"));
    BOOST_TEST(v.run_seconds == 3.0);
    BOOST_TEST((backend.seen == std::vector<std::uint64_t>{0, 0, 11}));
    BOOST_TEST(backend.seen_asynchronous == 2U);  // later orders too
}

BOOST_FIXTURE_TEST_CASE(streams_that_need_the_host_and_fail, scripted_runs) {
    backend.endings.resize(1);
    backend.endings[0] = {"", 97, "", "", stream_need::needed};
    backend.asynchronous.output = "wrong";
    const verdict v = decide();
    BOOST_TEST((v.why == failure::wrong_output && v.order == "asynchronous"));
    BOOST_TEST(v.run_seconds == 2.0);
}

BOOST_FIXTURE_TEST_CASE(a_fault_that_asynchronous_streams_survive, scripted_runs) {
    backend.endings.resize(1);
    backend.endings[0] = {"", 97, "", "", stream_need::needed};
    backend.survived = program_fault{failure::illegal_address, "kernel k"};
    // Right outputs may only mean that it does not look at errors.
    const verdict v = decide();
    BOOST_TEST((v.why == failure::illegal_address && v.diagnostic == "kernel k"));
    BOOST_TEST(v.order == "asynchronous");
    backend.names_fault = true;
    BOOST_TEST(decide().passed());
}

BOOST_FIXTURE_TEST_CASE(streams_that_may_matter, scripted_runs) {
    backend.endings.resize(1);
    backend.endings[0].streams = stream_need::asked;
    BOOST_TEST((decide().passed() && backend.seen_asynchronous == 0U));
    backend.endings[0].output = "wrong";
    verdict v = decide();
    BOOST_TEST((v.passed() && v.order == "asynchronous"));
    backend.asynchronous.output = "wrong";
    v = decide();
    BOOST_TEST((v.why == failure::wrong_output && v.order.empty()));
    // This fault is not the host's to prevent.
    backend.endings[0].code = 97;
    backend.asynchronous.output = "right";
    BOOST_TEST((decide().why == failure::barrier_divergence));
}

BOOST_FIXTURE_TEST_CASE(faults_that_the_program_may_meet, scripted_runs) {
    backend.endings.resize(1);
    backend.endings[0] = {"", 97, "", "", stream_need::none};
    backend.fault = failure::launch_error;
    verdict v = decide();
    BOOST_TEST((v.why == failure::launch_error && v.diagnostic == "kernel k"));
    BOOST_TEST(backend.seen_asynchronous == 0U);
    backend.names_fault = true;
    v = decide();
    BOOST_TEST((v.passed() && v.order == "asynchronous"));
    backend.asynchronous.output = "wrong";
    v = decide();
    BOOST_TEST((v.why == failure::unsupported && v.order.empty()));
}

BOOST_FIXTURE_TEST_CASE(a_later_order_is_wrong, scripted_runs) {
    backend.endings.resize(3);
    backend.endings[0].launches = "0 init 5 aa\n1 add<int, 2> 12 bb\n2 add<int, 2> 13 cc\n";
    backend.endings[1] = {"wrong", 0, "",
                          "0 init 5 aa\n1 add<int, 2> 12 XX\n2 add<int, 2> 13 cc\n"};
    const verdict v = decide();
    BOOST_TEST((v.why == failure::race && v.reached == stage::ran));
    BOOST_TEST(v.diagnostic ==
               "outputs are right in order 0 and wrong in the order of seed 11: kernel add<int, 2> "
               "(line 12) is the first to differ");
    BOOST_TEST(backend.seen.size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(a_later_order_is_right, scripted_runs) {
    backend.endings.resize(2);
    backend.endings[0].code = 1;
    const verdict v = decide();
    BOOST_TEST((v.why == failure::race));
    BOOST_TEST(v.diagnostic == "outputs are wrong in order 0 and right in the order of seed 11");
}

BOOST_FIXTURE_TEST_CASE(all_wrong_is_the_first_ones, scripted_runs) {
    backend.endings.resize(3);
    for (auto& how : backend.endings) how.output = "wrong";
    backend.endings[2].output.clear();
    const verdict v = decide();
    BOOST_TEST((v.why == failure::wrong_output && backend.seen.size() == 3U));
}

BOOST_FIXTURE_TEST_CASE(a_fault_is_told_as_it_is, scripted_runs) {
    backend.endings.resize(3);
    backend.endings[0].code = 97;
    BOOST_TEST((decide().why == failure::barrier_divergence));
    BOOST_TEST(backend.seen.size() == 1U);
    backend.seen.clear();
    backend.endings[0].code = 0;
    backend.endings[2].code = 97;
    const verdict v = decide();
    BOOST_TEST((v.why == failure::barrier_divergence && v.reached == stage::compiled));
    BOOST_TEST(v.diagnostic == "in the order of seed 22: kernel k");
}

BOOST_FIXTURE_TEST_CASE(records_of_launches_may_hold_anything, scripted_runs) {
    backend.endings.resize(2);
    backend.endings[1].output = "wrong";
    for (const std::string text : {"", "\n\n", "x", "1 2", "1 2 3", "\xff\x01 k 3 4", " ", "   "}) {
        backend.endings[0].launches = "0 k 1 a\n";
        backend.endings[1].launches = text;
        BOOST_TEST((decide().why == failure::race));
        std::swap(backend.endings[0].launches, backend.endings[1].launches);
        BOOST_TEST((decide().why == failure::race));
    }
}

BOOST_FIXTURE_TEST_CASE(right_results_come_from_kernels, scripted_runs) {
    backend.endings.resize(2);
    backend.kernels = kernel_use{0, 0};
    const verdict none = decide();
    BOOST_TEST((none.why == failure::no_kernel_launch && none.reached == stage::ran));
    BOOST_TEST(none.diagnostic == "the results are right, but no kernel ran");
    BOOST_TEST(backend.seen.size() == 1U);
    backend.kernels = kernel_use{1, 0};
    BOOST_TEST(decide().diagnostic ==
               "the results are right, and 1 kernel ran, but of the 5 bytes of y.bin the host read "
               "none from memory that kernels wrote");
    backend.kernels = kernel_use{3, 1};
    BOOST_TEST(decide().passed());
    options.accept_no_launch = true;
    backend.kernels = kernel_use{0, 0};
    BOOST_TEST(decide().passed());
}

BOOST_FIXTURE_TEST_CASE(a_part_of_an_output_is_enough_to_have_read, scripted_runs) {
    // The host computes words from bits; the reported number may be half of what was read.
    backend.endings.resize(1);
    backend.endings[0].output = std::string(64 * 1000, 'x');
    work.generator = "open('data/y_ref.bin', 'w').write('x' * 64000)\n";
    work.comparer = "print('T')\n";
    backend.kernels = kernel_use{3, 500};
    BOOST_TEST(decide().passed());
    backend.kernels = kernel_use{3, 499};
    BOOST_TEST(decide().diagnostic ==
               "the results are right, and 3 kernels ran, but of the 64000 bytes of y.bin the host "
               "read only 499 from memory that kernels wrote");
}

BOOST_FIXTURE_TEST_CASE(who_counts_kernels_looks_at_no_source, scripted_runs) {
    backend.endings.resize(1);
    source = "int main() {}\n";
    BOOST_TEST((decide().why == failure::no_kernel_launch));
    BOOST_TEST(decide().diagnostic == "the results are right, but the source launches no kernel");
    backend.kernels = kernel_use{1, 5};
    BOOST_TEST(decide().passed());
}

BOOST_FIXTURE_TEST_CASE(an_error_of_cuda_is_asked_for_where_a_run_failed, scripted_runs) {
    backend.endings.resize(1);
    backend.error = program_fault{failure::launch_error, "kernel k"};
    BOOST_TEST(decide().passed());
    for (const ending& how :
         {ending{"wrong", 0, {}, {}}, ending{"", 0, {}, {}}, ending{"right", 3, {}, {}}}) {
        backend.endings[0] = how;
        BOOST_TEST((decide().why == failure::launch_error));
    }
    backend.endings[0].code = 97;  // a fault is what it is
    BOOST_TEST((decide().why == failure::barrier_divergence));
}

BOOST_FIXTURE_TEST_CASE(what_a_program_prints_is_no_error_of_cuda, scripted_runs) {
    backend.endings.resize(1);
    backend.endings[0] = {"wrong", 0, "no CUDA-capable device is detected\n", {}};
    BOOST_TEST((decide().why == failure::wrong_output));
    backend.endings[0].code = 1;
    BOOST_TEST((decide().why == failure::wrong_exit));
}

BOOST_FIXTURE_TEST_CASE(a_pass_needs_the_stricter_compiler, scripted_runs) {
    backend.endings.resize(1);
    backend.confirmed = compile_end::error;
    const verdict v = decide();
    BOOST_TEST((v.why == failure::syntax_error && v.reached == stage::extracted));
    BOOST_TEST(v.diagnostic == "no CUDA");
}

BOOST_FIXTURE_TEST_CASE(orders_are_in_the_key, scripted_runs) {
    backend.endings.resize(1);
    const verdict one = decide();
    backend.endings.resize(2);
    BOOST_TEST((decide().key != one.key));
}

BOOST_FIXTURE_TEST_CASE(what_counts_depend_on_is_in_the_key_where_they_are_made, scripted_runs) {
    judge_options counted;
    counted.counts = true;
    task asked = work;
    asked.question = count_question{};
    const auto keys = [&] {
        const judge plain(backend, scripts, {}), counting(backend, scripts, counted);
        return std::array{plain.keys_of({}, work).plain, counting.keys_of({}, work).plain,
                          plain.keys_of({}, asked).plain};
    };
    backend.counting = "one table";
    const auto before = keys();
    backend.counting = "another";
    const auto after = keys();
    BOOST_TEST((before[0] == after[0] && before[1] != after[1] && before[2] != after[2]));
}

// Both keys have the same FNV-1a hash of 64 bits; a wrong program must not inherit a right one's
// verdict.
BOOST_FIXTURE_TEST_CASE(keys_do_not_collide, scripted_runs) {
    backend.endings.resize(1);
    const judge judging(backend, scripts, {});
    candidate right, wrong;
    right.answer = "8yn0iYCKYHlIj4-BwPqk";
    wrong.answer = "GReLUrM4wMqfg9yzV3KQ";
    const auto a = judging.keys_of(right, work), b = judging.keys_of(wrong, work);
    BOOST_TEST((a.plain != b.plain && a.limited != b.limited && a.plain != a.limited));
}

BOOST_FIXTURE_TEST_CASE(what_passes_is_searched_for_races, scripted_runs) {
    backend.endings = {{}};
    backend.search.emplace();
    BOOST_TEST((decide().passed() && decide().diagnostic.empty()));
    BOOST_TEST(backend.seconds_of_search == 7.0);  // 5 s and twice the run's
    BOOST_TEST(backend.seed_of_search == run_order::descending_in_blocks);
    BOOST_TEST((backend.seen == std::vector<std::uint64_t>{0, 0}));  // once in each decide()

    backend.search->code = 97;
    backend.fault = failure::race;
    const verdict racing = decide();
    BOOST_TEST((racing.why == failure::race));
    BOOST_TEST((racing.reached == stage::ran));
    BOOST_TEST(racing.diagnostic == "kernel k");

    // What else the search meets is the model's matter, and is told.
    for (const failure why : {failure::out_of_bounds, failure::illegal_address}) {
        backend.fault = why;
        const verdict other = decide();
        BOOST_TEST(other.passed());
        BOOST_TEST(other.diagnostic ==
                   "note: the search for races ended with " + std::string(name_of(why)) +
                       "; memory that nobody has set holds no zeros there: does the program use "
                       "some?");
    }
    // But for addresses that a checked run does not see.
    backend.is_checked = true;
    BOOST_TEST((decide().why == failure::illegal_address));
    BOOST_TEST(backend.seconds_of_search == 30.0);
    backend.is_checked = false;

    // Where the program does not compile for the search, it is not searched, which is told.
    backend.of_search = "program.cu(7): error: no";
    const verdict unsearched = decide();
    BOOST_TEST(unsearched.passed());
    BOOST_TEST(unsearched.diagnostic ==
               "note: not searched for races, for which it does not compile: program.cu(7): error: "
               "no");
    backend.of_search.clear();

    // What failed is not searched.
    backend.endings = {ending()};
    backend.endings[0].output = "wrong";
    backend.seconds_of_search = 0;
    BOOST_TEST((decide().why == failure::wrong_output));
    BOOST_TEST(backend.seconds_of_search == 0);

    // In the order in which it passed.
    backend.endings[0].streams = stream_need::asked;
    backend.search->code = 0;
    BOOST_TEST(decide().order == "asynchronous");
    BOOST_TEST(backend.is_search_asynchronous);
}

BOOST_FIXTURE_TEST_CASE(a_search_that_fails_is_made_again_as_the_program_passed, scripted_runs) {
    constexpr std::uint64_t other = run_order::descending_in_blocks;
    backend.endings = {{}};
    backend.search.emplace();
    backend.output_of_search = "wrong";
    // Memory that nobody has set may be the reason: without the search, the program is right.
    BOOST_TEST(
        (decide().passed() && decide().diagnostic.starts_with("note: the search for races")));
    BOOST_TEST((backend.seen == std::vector<std::uint64_t>{0, other, 0, other}));

    backend.descending.output = "wrong";
    const std::string where = "the descending order of a block's threads: ";
    verdict v = decide();
    BOOST_TEST((v.why == failure::race && v.reached == stage::ran && v.order.empty()));
    BOOST_TEST(v.diagnostic ==
               "right in order 0 and wrong in " + where + "wrong_output: compare.py: F");
    BOOST_TEST(v.run_seconds == 3.0);  // the search's report has none
    backend.seen.clear();
    backend.again.emplace().output = "wrong";  // by chance
    v = decide();
    BOOST_TEST((v.passed() && v.diagnostic == "note: run again, it ends with wrong_output"));
    BOOST_TEST((backend.seen == std::vector<std::uint64_t>{0, other, 0}));
    backend.again.reset();
    backend.descending.streams = stream_need::needed;
    v = decide();
    BOOST_TEST((v.passed() && v.diagnostic == "note: in " + where.substr(0, where.size() - 2) +
                                                  " it ends with wrong_output"));
    backend.descending.streams = stream_need::none;

    backend.in_step.emplace().output = "wrong";
    BOOST_TEST((decide().why == failure::race));
    backend.in_step->output = "right";
    v = decide();
    BOOST_TEST((v.passed() && v.order == "warp"));
    BOOST_TEST(v.diagnostic.ends_with("the program races"));
    backend.in_step->code = 97;
    backend.fault = failure::run_timeout;
    v = decide();
    BOOST_TEST((v.passed() && v.order.empty()));
    BOOST_TEST(v.diagnostic == "note: with the threads of a warp in step it ends with run_timeout");
    backend.fault = failure::barrier_divergence;
    backend.in_step.reset();

    // What the backend has only in part says nothing in this order.
    backend.names_fault = true;
    BOOST_TEST(decide().passed());
    backend.names_fault = false;

    for (const failure fault : {failure::illegal_address, failure::barrier_divergence,
                                failure::run_timeout, failure::unsupported, failure::evaluator}) {
        const bool fails =
            fault == failure::illegal_address || fault == failure::barrier_divergence;
        backend.descending.code = 97;
        backend.fault = fault;
        v = decide();
        if (fault == failure::evaluator) {  // the machine's
            BOOST_TEST((v.why == fault && v.diagnostic == "kernel k"));
            continue;
        }
        BOOST_TEST(v.passed() == !fails);
        if (fails) BOOST_TEST((v.why == fault && v.diagnostic == "in " + where + "kernel k"));
    }
    backend.fault = failure::barrier_divergence;

    // A checked program has run in several orders.
    backend.is_checked = true;
    BOOST_TEST(decide().passed());
    BOOST_TEST(backend.seed_of_search == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
