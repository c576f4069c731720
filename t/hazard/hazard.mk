# make mutants: brings faults in, one by one, and sees the tests fail that
# stand for them (t/hazard/PLAN).  Takes minutes; ONLY="05 06": these alone.

.PHONY: mutants

mutants:
	@sh conf/deps.sh build test
	@perl t/hazard/mutate $(ONLY)
