# make GOAL... SUITE=trixie: the goals in a root of that Debian release, on a
# copy of this tree, which keeps its own build directory.  The root is made in
# $(BUILD)/suite when it is first needed; sid is tried, but need not pass.

GOALS     = $(or $(MAKECMDGOALS),all)

.PHONY: $(GOALS) in-suite

$(GOALS): in-suite ;

in-suite:
	@sh conf/deps.sh suite
	@sh t/packaging/suite.sh $(SUITE) $(BUILD)/suite/$(SUITE) $(GOALS) \
	    $(filter -j%,$(MAKEFLAGS)) $(MAKEOVERRIDES)
