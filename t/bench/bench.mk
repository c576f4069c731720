# make bench               every benchmark, one after the other
# make bench BENCH=http    one of them: t/bench/http.pl
#
# BENCH_ROUNDS and BENCH_SECONDS in the environment change how many rounds
# there are and how long a measurement takes.  Fails if a target is missed that
# t/bench/known does not list.
#
# make smoke               each of them in a short form, which fails only if one
#                          does not run through

BENCH ?= $(filter-out ten,$(patsubst t/bench/%.pl,%,$(sort \
    $(wildcard t/bench/*.pl))))

.PHONY: bench smoke

bench:
	@sh conf/deps.sh build test bench
	@$(MAKE) --no-print-directory all tools
	@status=0; \
	for name in $(BENCH); do \
	    RBL_BUILD=$(abspath $(BUILD)) perl -It/lib -It/bench/lib \
	        t/bench/$$name.pl || status=1; \
	done; exit $$status

# Two at a time: no figure counts.
smoke:
	@sh conf/deps.sh build test bench
	@$(MAKE) --no-print-directory all tools
	@printf '%s\n' $(sort $(wildcard t/bench/*.pl)) | BENCH_SMOKE=1 \
	    RBL_BUILD=$(abspath $(BUILD)) xargs -P 2 -n 1 sh t/bench/smoke.sh
