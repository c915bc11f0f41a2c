# What the examples' Makefiles share: PATHS names their variables that hold a path.
# A path that is given counts from where make was called, which -C does not change.
from_here = $(if $(filter /%,$(1))$(if $(PWD),,none),$(1),$(PWD)/$(1))
$(foreach name,$(PATHS),$(if $(filter command environment,$(origin $(name))),$(if $($(name)),\
    $(eval override $(name) := $(call from_here,$($(name)))))))
ifneq ($(CUSET_MODEL),)
override export CUSET_MODEL := $(call from_here,$(CUSET_MODEL))
endif
$(foreach name,PWD $(PATHS),$(if $(word 2,$($(name))),$(error make takes no path with blanks, as $(name) has: $($(name)))))
