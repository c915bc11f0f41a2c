# Noise that is real: the same conditions from training sets of other host code, of some wrong programs, or with a
# family that is rare. README.md has the hypotheses and why these conditions; they were chosen before any run.
#
#   make -C examples/evidence noise         all sets, conditions and seeds, and their tables
#   make -C examples/evidence noise-tables  the tables of what is in results/noise
#   make -C examples/evidence noise-check   judges every program of the sets and every held-out one, under --check
NOISE_SEEDS ?= $(SEEDS)
# Steps of 4 programs; the sets have 144 programs, so that each is seen twice.
NOISE_STEPS ?= 72
# The split that is asked, `wide`, is the split parameters with twice as many tasks. Noisy programs have up to 571
# tokens, and so may the answers that are learned from them.
samples_wide ?= 8
sample_wide  ?= --temperature 1 --max-new-tokens 640 --batch 16

.PHONY: noise noise-results noise-tables noise-check noise-tasks

# The options of make-noise.py for each set, all from the split train.
NOISE_SETS := clean noisy wrong5 wrong15 rare
RARE       := five_points
set_clean   :=
set_noisy   := --noise all
set_wrong5  := --wrong-share 0.05
set_wrong15 := --wrong-share 0.15
set_rare    := --rare $(RARE)

# The options of the conditions. The gradients of all are clipped to one size.
NOISE_CONDITIONS := sft cuset mean1 soft tau-warmup stubborn no-mask no-reweight
noise_sft         := --objective sft
noise_cuset       := --objective cuset
noise_mean1       := --weights mean1
noise_soft        := --weights mean1 --mask soft
noise_tau-warmup  := --weights mean1 --tau-warmup 36
noise_stubborn    := --weights mean1 --mask stubborn
noise_no-mask     := --weights mean1 --no-confidence-mask
noise_no-reweight := --no-reweight

noise-tasks: $(TASKS)/noise-made
$(TASKS)/noise-made: $(TASKS)/made make-noise.py noise.mk noise-fingerprints.tsv
	@mkdir -p $(TASKS)/of-wide
	./make-tasks.py --parameters 8 $(TASKS)/of-wide
	mv $(TASKS)/of-wide/parameters.jsonl $(TASKS)/wide.jsonl
	@rm -rf $(TASKS)/of-wide
	$(foreach set,$(NOISE_SETS),./make-noise.py --programs 144 $(set_$(set)) $(TASKS)/train.jsonl \
	    >$(TASKS)/$(set).jsonl &&) true
	@cd $(TASKS) && sha256sum $(NOISE_SETS:%=%.jsonl) wide.jsonl >noise-fingerprints.tsv
	cmp $(TASKS)/noise-fingerprints.tsv noise-fingerprints.tsv
	@rm -f $(NOISE_SETS:%=$(TASKS)/%.references.verdicts) $(TASKS)/wide.references.verdicts
	@touch $@
$(NOISE_SETS:%=$(TASKS)/%.jsonl) $(TASKS)/wide.jsonl: $(TASKS)/noise-made

# A run's settings say of which bytes its set is.
told := $(shell sha256sum <noise-fingerprints.tsv | cut -c1-16)
$(foreach set,$(NOISE_SETS),$(eval told_$(set) := $(told)))

noise_options = $(noise_$(2)) --clip 0.001 --lr $(call rate,$(2)) --seed $(3) --max-steps $(NOISE_STEPS)
# noise_run SET,CONDITION,SEED
define noise_run
$(eval $(call trained,$(OUT)/noise/$(1)/$(2)/$(3),$(1),$(noise_options) $(LORA),$(WARM)))
$(eval $(call asked,$(OUT)/noise/$(1)/$(2)/$(3),--adapter,wide,$(3),$(samples_wide)))
$(eval $(call result,noise/$(1),$(2),$(3),wide))
endef
# Seed by seed, so that the first tables are there after a third of the time.
$(foreach seed,$(NOISE_SEEDS),$(foreach set,$(NOISE_SETS),$(foreach condition,$(NOISE_CONDITIONS),\
  $(call noise_run,$(set),$(condition),$(seed)))))

NOISE_RESULTS := $(foreach seed,$(NOISE_SEEDS),$(foreach set,$(NOISE_SETS),\
  $(NOISE_CONDITIONS:%=$(RESULTS)/noise/$(set)/%/$(seed).wide.tsv)))
noise-results: $(NOISE_RESULTS)
noise: noise-results
	$(MAKE) noise-tables
noise-tables:
	./noise-tables.py --results $(RESULTS)/noise --out $(OUT)/noise --rare $(RARE) \
	    --sets $(NOISE_SETS) --conditions $(NOISE_CONDITIONS)
tables: noise-tables

noise-check: $(NOISE_SETS:%=$(TASKS)/%.checked) $(TASKS)/wide.checked
