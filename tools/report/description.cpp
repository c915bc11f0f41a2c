// What the man page of cuset-report says before its options.
#include "flags.h"
#include "tool.h"

namespace cuset {

std::vector<std::string> report_description() {
    return paragraphs(R"(
Reads verdicts, which cuset-eval --verdicts keeps, and judges nothing. Without a mode, the FILEs
are the verdicts of one evaluation, such as those of the parts of a sharded run. The report is the
one that cuset-eval ends with: how far the candidates came, Pass@k with its 95 % interval, and
what went wrong. cuset-eval(1) says what Pass@k and the kinds of failure are, and how its intervals
are made, which all of this tool's from a bootstrap are too: their ends are the quantiles that
Student's t gives for so few families. A verdict of the
evaluator, where gen.py, compare.py or the machine failed, counts as not passed, and a warning says
so; what rates could be at most counts it as passed, as it does unsupported ones.

--table makes one report of several conditions, such as objectives or the settings of a sweep,
each with the verdicts of one or more seeds: rates by the unbiased estimator with 95 % intervals
over families and seeds, tokens an answer, figures of your own, the paired differences from a
baseline with their intervals and an exact sign test over families, the smallest difference that
these sizes would have shown, and kinds of failure. It begins with what was counted over what.
Verdicts that were made with --check stand beside those of the same answers without it, among a
condition's files: they become the column checked@1. All files must have the same tasks, versions
of tasks, backend and toolchain, and every sample; otherwise the report
names what is missing, and counts nothing.

The intervals of --table come from a bootstrap over families and seeds, which are crossed: each
resample draws as many families as there are with replacement and, independently, one seed fewer
than there are, so that the spread of few seeds is not taken for too small. One seed alone says
nothing about other trainings, and its interval does not either. Where all families are alike,
such as where nothing passes or all differ by as much, the interval ends at the exact limit for a
share of 0 among so many families, which may lie beyond all that was seen. Differences pair tasks,
and seeds by the place of their file. The smallest difference is that of a two-sided test at 5 %
with a power of 80 %: (t(0.975) + t(0.8)) times the difference's standard error, where t is
Student's with one degree of freedom less than there are families.

--by-confidence prints the area under the ROC curve (AUC): of all pairs of an answer that passed
and one that did not, the share in which the one that passed has the higher value; 0.5 is chance.
The value is the mean confidence of the answer's hardest window of --size tokens, as cuset-window
finds it (no window that the ends clip; a shorter answer is one window). Beside it stand the mean
confidence of all its tokens, and shortness (fewer tokens), which cost no window. Pairs of one
task leave out how hard tasks are: they say what choosing among the samples of a task by
confidence could gain. The 95 % intervals are DeLong's for clusters, which are families of tasks,
on the logit scale with Student's t. Below stands the share that passed in each quarter of the
answers. Verdicts of the evaluator and unsupported ones are not counted.

--costs prints what answers that passed cost, as cuset-eval --count has it in their verdicts: sums
over the launches on a task's first inputs. An estimate ranks answers; it is no measurement.

--counts prints how well answers hit counts, of tasks whose answer is a number (cuset-tasks(5)). The
scores are of the kinds that gpuFLOPBench's paper ("Counting Without Running") has, a classification
and the magnitude of errors; the names of the columns, and their formulas, are our own. hidden_flops is
whether a GPU executes floating-point operations for the launch that its source does not have, those
of divisions, square roots and mathematical functions: lines with yes and no stand below those of
both. answers are those whose count is known; not_judged are others, which no score has; numbers are
answers that state one. correct is the share that passes; nonzero_accuracy the share whose number is
0 exactly where the count is. stated is how many say whether there are hidden operations
("hidden_flops" beside "answer"), hidden_accuracy the share of these that are right, and
hidden_macro_f1 the mean of the F1 scores of both classes. within_10_percent and within_10_times are
shares of the answers; an answer without a number is outside. mean_log10_error is the mean of
|log10(answer / count)| where both are above 0, and median_relative_error the median of
|answer - count| / count.

--fast prints how many answers are correct and faster than their task's own program, bench.cu:
KernelBench's fast_p, the share of tasks whose answer is correct and more than p times as fast, for
p of 0, 0.5, 0.8, 1, 1.5 and 2; fast_0 is the share that is correct. Of several samples of a task it
is the share of these, and with --pass-at the probability that one of k is so. The mean speed-up is
the geometric mean over tasks with correct answers; a task's own is that of its answers. Both have
intervals from the bootstrap over families. Times are those that cuset-eval --time measured on a
GPU. Verdicts without them have those of cuset-eval --estimate, by the peaks of a GPU; then the
heading says that it is an estimate. A correct answer whose time is not known counts as not faster,
and so does one that was not judged; at most, shown where there are any, counts them as faster.

--profile prints CUDABench's mean scores of a GPU's roofline, from what cuset-eval --profile ncu has
in verdicts; cuset-eval(1) says what a score is. Of a task's first k samples the one counts that
passed and has the highest score; where none passed, the task has 0. The mean is over all tasks, for k
of 1 and 3 or those of --pass-at, with an interval from the bootstrap over families; bandwidth and
compute are the means of the same samples' shares of both peaks. A correct answer that could not be
profiled has 0, as in the benchmark, and the reasons stand below with their numbers; at most, shown
where there are any, gives it 1, and so those that were not judged.

--turns sets serial attempts against parallel ones. The first FILE has the verdicts of turn 1, on
all samples; the second those of turn 2, in which answers that had failed were asked for once more,
under the same task and sample; and so on. A chain is a sample with its answers in all turns, and
ends when one passes. The serial rate of turn t is the share of chains that have passed by then, a
mean over tasks. Equal samples: pass@t by the unbiased estimator from the samples of turn 1, with a
dash where they are fewer than t. Equal tokens: pass@k, where k of each task is the mean of the
tokens that its chains have generated by turn t over the mean of those of an answer of turn 1, and
at most the number of samples; between whole numbers pass@k is linear, as if the number were drawn.
All k answers are paid for, while a chain ends at its first pass, which favours the chains; tokens
of prompts, such as those of a failed answer that is shown again, do not count. Intervals of
differences come from the bootstrap over families. What is unsupported, or a verdict of the
evaluator, has not passed, and neither has a failed answer that the next FILE lacks by then; the
report counts each. At compile-only, to pass is to compile.

--show takes candidates as FILEs. It prints one with its verdict, all that the compiler said, the
program that was taken from the answer, and the answer.

--html takes candidates too, and writes one page of the whole evaluation for a browser: the rates
and the funnel of the report, failures by kind and by family of tasks, and each candidate with its
verdict and the program that was taken from its answer. What the compiler said and what --check
found stand at their lines. Where candidates have scores (cuset-sample --confidence), the
background of a token is stronger the lower its confidence, as on cuset-view's page. The page has
all that it needs in itself, asks no network for anything, and follows light and dark schemes. Its
script finds candidates by their text, outcome and family, and an address that ends in #TASK/SAMPLE
opens one; without the script the page can be read as well. It holds all answers: 192 of
270 tokens each take 0.5 MB, and 0.7 MB with scores.

Files of verdicts are checked as they are read: a line that no evaluation writes is an error, and
the message says where it is. A line of a file may have 128 MiB. Text that others wrote is shown
with escapes for control characters and invisible characters: \x1b, \u202e.
)");
}

}  // namespace cuset
