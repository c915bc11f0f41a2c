// What the man page of cuset-train says before its options.
#include "flags.h"

namespace cuset {

std::vector<std::string> train_description() {
    return paragraphs(R"(
Reads prompt/response pairs (as cuset-score does; the CUDA mask needs what cuset-tag adds) and
trains a LoRA adapter on every linear layer but the head, in peft's format; with --full it trains
all weights. Each token's loss is -log p. It counts once if the model's confidence is above --tau,
and --lambda more inside kernels and launch configurations. Each sample is multiplied by 1 minus
the mean confidence of its hardest window. The other objectives are there to compare.

--sensitive roles makes the CUDA mask of what tokens are for (index, bound, memory, sync and
launch, or the roles that are named) instead of where they stand. Comments in kernels are then
outside of it; under spans they are inside, unless --comments is drop. --comments drop changes the
CUDA mask and the windows alone: the confidence mask, and what a step's sum is divided by, count
comments as before.

By default (--norm tokens) a step's sum is divided by its number of response tokens, so that
without masks and weights the loss is that of plain fine-tuning. This is not the paper's Eq. 9;
--norm sum is Eq. 9 as it is written.

OBJECTIVES. Which one when, by what has been measured so far with one model of 135M parameters on
small CUDA programs (examples/evidence, examples/learn):
a model that does not write such programs yet: sft (52 % of held-out answers passed; under cuset none);
clean data, every token right: sft, and with --clip 0.001 in short runs (57 %; 40 % without it);
cuset on such data: with --no-reweight (32 %; 12 % as it is), or with a --clip of 0.001 too (36 %);
right answers of the model's own: only where references lack (62 % passed, after as much training on
references 68 %: a difference that chance can make);
noisy data, and models that know CUDA, for which the paper made cuset: not measured here.
Those with a clip, and of the cold start, are of one seed, the others of three.

Where CuSeT is the wrong choice: a cold start. A token that the confidence mask leaves out has no
gradient, so a model that does not know the form of the answers never learns it, and the log's
loss does not say so. In examples/evidence (SmolLM2-135M-Instruct as it comes, LoRA of rank 32,
144 steps of 4 small CUDA programs) 52 % of 192 answers to held-out parameters passed under sft, 8
% under cuset --no-confidence-mask, and none under cuset, where no answer held a kernel: 6 % of
the tokens (the opening fence, the includes) remained below tau outside CUDA code. Train a model
first by sft until it writes programs of the right form. From such a start, too, cuset was below
sft there: after 72 steps from an adapter of sft that passed 2 % of 192 answers 40 % passed under
sft and 12 % under cuset, 32 % under cuset --no-reweight, 10 % --no-confidence-mask, 1 %
--no-cuda-mask, 14 % under dft and 7 % under profit (three seeds each; one elsewhere here). The
mask has the same effect on a small scale: without weights, and under dft, no program passed that
sets up its launch by 'dim3 block(8, 8);': dim3 stands in host code, stayed below tau and had no
gradient, or next to none. Weights shrink as a model gets sure of its windows, here to 0.01, and
AdamW, which remembers the first gradients for some thousand steps, then takes short steps. With
--clip 0.001, which makes all gradients of one size, cuset passed 27 % and sft 57 %: in short runs
compare with --no-reweight and with such a --clip. The paper begins with models of 7B that know
CUDA.

MASKS AND WEIGHTS. Four options change one part of cuset each, --tau-warmup that of profit too. All are
off by default, and what they are worth has not been measured yet. --weights mean1 divides each
sample's weight by the mean of its step's, so that weights choose among the samples of a step and no
longer shorten steps; in a step of one sample the weight is 1, and where the mean is below 1e-20 nothing is divided. --weight-power X takes (1 - C)^X.
--tau-warmup N has tau times n / N in the step after n others, up to --tau: the first step leaves
nothing out. --mask soft multiplies a token by c / (c + tau) where the hard mask has 1 or 0: half at c = tau, and
never nothing. --mask stubborn leaves out what cannot be learnt, not what is not yet learnt: a token
that the CUDA mask does not have, whose confidence was at most tau in the last epoch and is so still,
and whose token id was so in two samples or more. In the first epoch it leaves out nothing. With
--tau-warmup, tau is that of the step in which the token is seen. It costs four bytes a response token in each checkpoint, and on a GPU the probabilities of each step
are read back.

The objectives with a hard confidence mask, cuset and profit, without --tau-warmup, look at up to 4,096 tokens of the data,
spread evenly, before the first step and after the first epoch or at the end of a shorter run. A
warning gives the figures if at least 2 % of these tokens, and a quarter of those that were left
out at first, were left out both times; the log's line of that step has them as watched_tokens,
dropped_at_first and dropped_still. It costs two forward passes, and changes no result.

A run in --output can be stopped at any instant, and --resume continues it to the same bytes.
After SIGINT or SIGTERM the run finishes its step and saves a checkpoint first. run.json has all
settings, with versions and the data's hash. trainer_log.jsonl has each step's numbers under
LLaMA-Factory's names, and mask_share, mean_confidence, mean_weight and nll (mean -log p).
loss_curve.svg is the curve, and
trainer_log.csv the log as a table; both are written at the end. --tensorboard DIR has the log's
numbers in an event file, a file for each start of a run: of a run that was killed and goes on, a
reader drops the steps that come again.

LONGER RUNS. --resume --extend goes on with a run that has more --epochs or --max-steps than it
had, and else the same settings, finished or not. It goes on from the latest checkpoint as a run
that had this length from the start: the samples come in the same order, the optimiser keeps its
moments, and each step that is left has the learning rate that the longer run has in that step.
What was done stays as it was. With --schedule constant and a --warmup in steps (or 0) the result
is that of one long run, byte for byte. With cosine and linear it is not: the rate had fallen on
the shorter curve, and jumps up to the longer one; a --warmup below 1 becomes a share of more
steps. A run's last step has a checkpoint too, but for --save-every 0: a finished run
without one cannot be extended. Steps after the latest checkpoint of a run that was killed are done
again. The old adapter stays until the longer run is done. extended_at
in run.json tells at which steps it happened.

VERDICTS. --objective dpo learns which of two responses is better. Its records are TRL's:
{"prompt":"…", "chosen":"…", "rejected":"…"}, with strings or with lists of messages ("role",
"content"); without "prompt", chosen and rejected are whole conversations. The loss of a pair is
-log sigmoid(z), where z is --beta times the difference between what training has added to the
log-probability of the chosen response and what it has added to that of the rejected one; a step's
loss is the mean over its pairs. The log-probability of a response is the sum over its tokens, the
template's tail included, or their mean with --length-normalise (TRL's sigmoid_norm). With
--label-smoothing E it is -(1 - E) log sigmoid(z) - E log sigmoid(-z). The reference is the model
at the start: the model alone or, with --init-adapter, with that adapter. Its log-probabilities
are computed once, before the first step, for all epochs, and again when a run is resumed; they
take four bytes a token. A pair is one sample of --batch, and both responses share a pass.
trainer_log.jsonl has reward_margin, the mean z, and accuracy, the share of pairs with z above 0;
with --eval, eval_loss is the loss of the held-out pairs. Use a smaller --lr than for sft.

--objective grpo learns from sampled answers and how much better each is than others to its task:
records of cuset-sample --confidence with "advantage", a number (cuset-reward), and a prompt beside
response, score and finish (cuset-curate --tasks FILE --duplicates none). The loss of a token is
-min(r * A, clip(r) * A), where A is the advantage, r the token's probability divided by that of "score", and clip takes r into 1 - --clip-low to 1 +
--clip-high; --kl adds as many times the divergence from the model at the start (exp(d) - d - 1, d
= log p of that model - log p). A step's sum is divided by its tokens (--norm tokens, as DAPO does
it) or, answer by answer, by their tokens and then by the answers (--norm sample, GRPO's own). An
answer with "finish":"length" has no loss, and none of its tokens count into --norm tokens, unless
--keep-truncated is given. The tokens are those of the score, as they were drawn, and each must
have the bytes that the response has there. The probabilities must be of the plain distribution: a
record whose temperature or top_p is not 1, or whose top_k is not 0, is refused. cuset-sample draws
so by default, and writes the three beside the probabilities. Advantages are the records', so that
nothing here depends on which answers share a step. TRL computes them of all answers to a task, and
then shuffles the answers over the steps of a generation; with --no-shuffle, records task by task,
and a --batch times --accumulate that is a multiple of a task's answers, all answers to a task share
a step. trainer_log.jsonl has ratio, the mean r, clip_share, the share of the tokens that the clip
left no gradient, and kl with --kl. There is no --eval.

Which tokens of a failed answer are to blame? Under dpo and grpo --blame gives a part of them alone
a loss: code, those in kernels and launch configurations; confident, those that the model was sure
of; cuset, both, which are the tokens that cuset keeps; window, those of the response's hardest
window. Sums, means and --norm count these tokens alone. None needs tags or windows in the records.
What is better has not been tried. cuset's weights of samples do not apply.

CONFIG FILES. The names in a file of --config are the options' long names, with dashes or
underscores (eval-size: 0.1 or eval_size: 0.1); a flag's value is true or false. Options that are
given on the command line replace the file's: --full=false switches off a flag of the file. Paths
count from the current folder. Where LLaMA-Factory
has another name for an option of exactly the same meaning, that name will do in files and, with
dashes, on the command line: learning_rate, --learning-rate. Files also take finetuning_type,
lr_scheduler_type, warmup_ratio, bf16, gradient_checkpointing (as recompute), eval_strategy with
eval_steps, and what is always so here, such as stage: sft, or changes no result, such as
preprocessing_num_workers, flash_attn and report_to. dataset names data sets of the
dataset_info.json in dataset_dir (data if there is none), with commas between them: their files are
the input where the command line names none (- is standard input), and their columns are those of
--columns. A note says what was taken so, and what has no effect; overwrite_output_dir has none, and
stage does not choose the objective. Other names of LLaMA-Factory are refused, all at once,
with what to use instead. What a file does not name has the defaults of this page, which are not
LLaMA-Factory's: among others the warm-up, the schedule, --lr, --batch, --dropout and --max-tokens
differ. template: qwen is the model's own template, as in --template; template: lf:qwen is
LLaMA-Factory's.

The run.json of a run is such a file too: with the same input, number of processes, machine and
version it gives the same bytes. --output has to be named, and a warning says if data or model
have changed since.

Several processes train as one when torchrun or mpirun (of Open MPI, MPICH or Intel) starts them, or
anything else that sets RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, and on several machines
LOCAL_RANK and LOCAL_WORLD_SIZE. mpirun's processes need MASTER_ADDR (-x or -genv) only on several
machines. The input must then be a file that all processes can read.

SEVERAL MACHINES. All processes meet at MASTER_ADDR, the machine of process 0, and wait up to ten
minutes for each other. Model, input and --output are on a file system that all machines share. The
bytes are those of as many processes on one machine, on CPUs; on GPUs the order of sums depends on
the wiring. If a machine's name does not lead to the network that joins them, GLOO_SOCKET_IFNAME
(CPUs) and NCCL_SOCKET_IFNAME (GPUs) name the interface. Under Slurm, srun needs no torchrun: RANK
is SLURM_PROCID, LOCAL_RANK is SLURM_LOCALID, WORLD_SIZE is SLURM_NTASKS and LOCAL_WORLD_SIZE is
SLURM_NTASKS_PER_NODE; examples/slurm.sbatch does so.

If a process or its machine dies, the others end with exit status 1 and a line such as "process 9 on
node2 is lost: no sign of life for 7 s": about three seconds after its connections broke, and within
ten if no packet tells it, as when a machine loses its power or its network, or a process is stopped
(SIGSTOP). A process in the middle of a pass says so after the pass; one that only computes, reads or
writes for long is not taken for lost. If the network is cut, the processes on both sides end: one
that cannot reach process 0 names that. Before all have met, nobody notices who has died. Start all
again with --resume: the run goes on from its last checkpoint, to the same bytes.

SHARED BASES. With --shard-base a base may be larger than the memory of one process. Each of N
processes keeps an N-th of the linear weights of every decoder layer, and all of embeddings, head,
norms and biases, and of the adapter. N may be any number. A layer is gathered when it is computed, in the forward pass
and again in the backward pass, and the next one meanwhile. All processes take part in every
gather: one that has no samples left waits for those that have. The bytes are those of as many
processes without it, and a run may be resumed with it or without. A process's memory is about its
weights (embeddings and head, all layers / N, and two layers), 16 bytes for each trained parameter,
600 MB for LibTorch, and what layers keep of the tokens of a pass: with --recompute LAYERS * HIDDEN
values a token, and what is inside two layers; without it, what is inside all of them and one more.
That is, a layer, 4 * (HIDDEN + HEADS * HEAD_DIM) + 3 * INTERMEDIATE values, and with norms of
queries and keys (HEADS + KV_HEADS) * HEAD_DIM more: of 2 bytes on a GPU in bfloat16, else of 4. Of
a quantised base the weights are the codes, and the largest matrix as it is dequantised (twice on a
CPU, which packs it). --dry-run shows it, and the bytes that a process receives in a step. Add
--recompute where memory is short. --quantize cannot be had with it, nor a base that is stored in
nf4, nor --full. Weights that are stored in another type than that of --dtype are converted first,
all of them.

By this arithmetic a process takes, for LoRA of rank 8 on a base in bfloat16 with --recompute and
passes of 4,096 tokens (--max-tokens and --pass-tokens), alone and as one of 2, 4 and 8 with
--shard-base: 19, 13, 10 and 8 GB for Qwen2.5-7B; 35, 22, 16 and 13 GB for Qwen2.5-14B; 72, 43, 28
and 20 GB for Qwen2.5-32B; and 152, 87, 52 and 35 GB for Llama-3.1-70B. So cards of 24 GB take 7B
(one), 14B (two) and 32B (eight); cards of 40 GB 14B (one), 32B (four) and 70B (eight); and cards of
80 GB 32B (one) and 70B (four). What allocators and libraries take on top is not in it, and none of
this has run on a GPU yet: where a figure is near the card's size, take passes of fewer tokens.

On a GPU the loss, its coefficients, dropout and AdamW are kernels of this project, and the rest
is LibTorch's operators. The kernels have run on a model of a GPU only, and the whole on no GPU
yet.
)");
}

}  // namespace cuset
