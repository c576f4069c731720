# make valgrind: the unit tests, and each program through a chosen part of the
# tests with every server under valgrind; nginx is one whose pools hide nothing.
# make crash: 20 seeds of t/checkd/crash.t.

.PHONY: valgrind crash

$(BUILD)/nginx-debug: t/valgrind/nginx.sh
	+$(call say,NGX,$@)sh t/valgrind/nginx.sh $(abspath $(BUILD))
	@touch $@

VALGRIND_TESTS = \
    t/valgrind/finds.t t/valgrind/unit.t \
    t/api/auth.t t/api/body.t t/api/checks.t t/api/clients.t \
    t/api/host_add.t t/api/host_write.t t/api/hosts.t t/api/nginx.t \
    t/api/route.t \
    t/redis/faults.t t/redis/hang.t t/redis/restart.t \
    t/redis/scripts.t t/redis/slow.t \
    t/lifecycle/process.t \
    t/checkd/checks.t t/checkd/store.t t/checkd/takeover.t \
    t/deliver/hostile.t t/deliver/retry.t t/deliver/tls.t \
    t/deliver/webhook.t \
    t/dns/replies.t \
    t/ctl/account.t t/ctl/check.t t/ctl/init.t t/ctl/lists.t \
    t/e2e/main.t \
    t/failover/cluster.t t/failover/reload.t t/failover/slots.t

valgrind:
	@sh conf/deps.sh build test valgrind
	@$(MAKE) --no-print-directory all unit tools $(BUILD)/nginx-debug
	RBL_VALGRIND=1 RBL_PATIENCE=6 RBL_NGINX=$(abspath $(BUILD)/nginx-debug) \
	    RBL_PRELOAD= RBL_BUILD=$(abspath $(BUILD)) $(PROVE) -It/lib --timer \
	    $(VALGRIND_TESTS)

crash:
	@sh conf/deps.sh build test
	@$(MAKE) --no-print-directory all
	CRASH_SEEDS=20 RBL_BUILD=$(abspath $(BUILD)) $(PROVE) -It/lib --timer \
	    t/checkd/crash.t t/bill/crash.t
