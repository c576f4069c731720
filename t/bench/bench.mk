# make bench               every benchmark, one after the other
# make bench BENCH=http    one of them: t/bench/http.pl
#
# BENCH_ROUNDS and BENCH_SECONDS in the environment change how many rounds
# there are and how long a measurement takes.  Fails if a target is missed that
# t/bench/known does not list.

BENCH ?= $(filter-out ten,$(patsubst t/bench/%.pl,%,$(sort \
    $(wildcard t/bench/*.pl))))

.PHONY: bench

bench:
	@sh conf/deps.sh build test bench
	@$(MAKE) --no-print-directory all tools
	@status=0; \
	for name in $(BENCH); do \
	    RBL_BUILD=$(abspath $(BUILD)) perl -It/lib -It/bench/lib \
	        t/bench/$$name.pl || status=1; \
	done; exit $$status
