# ngx_rbl: a blocklist monitoring service for sites that run nginx.
#
#   make run      build everything and start a private demonstration
#   make check    build, run the tests of each landing, or T="t/api/hosts.t ..."
#   make endure   the long tests, in thirteen parts; ENDURE=3: this part
#   make stores   the tests of the store with Redis 7.0, 8.0 and Valkey 8.1
#   make asan     the tests of make check under AddressSanitizer and UBSan
#   make doc      the manual pages as HTML, in build/doc
#   make deb      two Debian packages; `make install` takes DESTDIR and prefix
#   make repo     a signed apt repository of them, for Debian 12 and 13
#   make fuzz     look for inputs that break something, FUZZ_SECONDS a target
#   make analyze  read the code with gcc's and clang's analyzers and cppcheck
#   make valgrind a part of the tests with every program under valgrind
#   make soak     random lists, hosts and faults for ten minutes
#   make crash    500 checks, and 200 payments, while everything is killed, 20
#                 times over
#
# Other targets: bench, lab, mutants, deb-check, repo-check, container,
# container-check, deps, clean, clang, style, compdb; daemon, module, unit, tools.
#
# SUITE=trixie runs the targets in a root of that Debian release (needs root).
#
# Everything is built into $(BUILD); nothing outside it is written, but run/ by
# `make run`, packages of the system that a target needs and lacks (conf/deps.sh
# says which; `make deps` does no more), compile_commands.json by `make compdb`,
# and what `make install` is for.

BUILD    ?= build
SUITE    ?=

ifneq ($(SUITE),)
include t/packaging/suite.mk
else

ifeq ($(origin CC),default)
CC        = gcc
endif
SANITIZE ?=
PROVE    ?= prove
V        ?=

# Quiet by default; `make V=1` shows each command.
say       = $(if $(V),,@printf '  %-4s %s\n' $(1) $(2);)

WARN     = -Wall -Wextra -Wshadow -Wformat=2 -Wmissing-prototypes -Werror
HARDEN   = -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fPIE
ifeq ($(SANITIZE),)
OPT      = -O2 -g $(HARDEN)
LDOPT    = -pie -Wl,-z,relro,-z,now
MALLOC   = -ljemalloc
else
OPT      = -O1 -g -fno-omit-frame-pointer -fsanitize=$(SANITIZE) \
           -fno-sanitize-recover=undefined
LDOPT    = -fsanitize=$(SANITIZE)
MALLOC   =
endif

PKGS     = hiredis jansson ldns libcurl libidn2 libpsl libssl libcrypto \
           libxxhash
CFLAGS   = -std=c11 -D_GNU_SOURCE $(WARN) $(OPT) -fno-strict-aliasing
CPPFLAGS = -I$(BUILD)/gen $(patsubst %/,-I%,$(wildcard shared/*/)) \
           -Irbl-checkd \
           $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
LIBS     = $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lev -lpthread

SHARED   = $(wildcard shared/*/*.c)
DAEMON   = $(filter-out rbl-checkd/main.c, \
             $(filter-out rbl-checkd/ctl/%, \
               $(wildcard rbl-checkd/*.c rbl-checkd/*/*.c \
                          rbl-checkd/*/*/*.c)))
CTL      = $(wildcard rbl-checkd/ctl/*.c)
UNIT     = $(wildcard t/unit/test_*.c)
TOOLS    = $(wildcard t/tools/*.c)
PORTAL  ?= $(BUILD)/portal
WEB      = $(wildcard $(addprefix ngx_rbl_module/web/,*.* */*.* */*/*.*))
LUA      = $(wildcard shared/lua/*/*.lua)

obj      = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
OBJS     = $(call obj,$(SHARED) $(DAEMON) $(CTL) $(UNIT) $(TOOLS) \
             rbl-checkd/main.c)
GEN      = $(BUILD)/gen/rbl_schema.h $(BUILD)/gen/rbl_script_list.h
UNITBIN  = $(patsubst %.c,$(BUILD)/%,$(UNIT))
TOOLBIN  = $(patsubst %.c,$(BUILD)/%,$(TOOLS))
MODULE   = $(BUILD)/ngx_rbl_module.so

.PHONY: all deps run check endure stores programs slow asan clang daemon module man \
        portal unit tools style clean doc analyze compdb

all: daemon module man portal

daemon: $(BUILD)/rbl-checkd $(BUILD)/rblctl
module: $(MODULE)
portal: $(PORTAL)/index.html
unit: $(UNITBIN)
tools: $(TOOLBIN)

$(BUILD)/gen/rbl_script_list.h: $(LUA) shared/schema.txt \
    shared/record/rbl_keys.h shared/generate.pl
	@mkdir -p $(@D)
	$(call say,GEN,$@)perl shared/generate.pl shared/schema.txt \
	    shared/record/rbl_keys.h $(@D) $(LUA)
	@touch $@

# The empty recipe makes make look at the time of the file again.
$(BUILD)/gen/rbl_script_list.c $(BUILD)/gen/rbl_schema.h: \
    $(BUILD)/gen/rbl_script_list.h ;

$(BUILD)/obj/gen/rbl_script_list.o: $(BUILD)/gen/rbl_script_list.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/obj/%.o: %.c $(GEN)
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/librbl.a: $(call obj,$(SHARED)) $(BUILD)/obj/gen/rbl_script_list.o
	@rm -f $@
	$(call say,AR,$@)ar rcs $@ $^

$(BUILD)/libcheckd.a: $(call obj,$(DAEMON))
	@rm -f $@
	$(call say,AR,$@)ar rcs $@ $^

ARCHIVES = $(BUILD)/libcheckd.a $(BUILD)/librbl.a

# What runs for long and allocates in each turn of its loop has the allocator
# that redis-server has; sanitizers bring their own.
$(BUILD)/rbl-checkd $(TOOLBIN): LIBS += $(MALLOC)

$(BUILD)/rbl-checkd: $(call obj,rbl-checkd/main.c) $(ARCHIVES)
	$(call say,LD,$@)$(CC) $(LDOPT) -o $@ $^ $(LIBS)

$(BUILD)/rblctl: $(call obj,$(CTL)) $(ARCHIVES)
	$(call say,LD,$@)$(CC) $(LDOPT) -o $@ $^ $(LIBS)

$(UNITBIN) $(TOOLBIN): $(BUILD)/%: $(BUILD)/obj/%.o $(ARCHIVES)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(LDOPT) -o $@ $^ $(LIBS)

# The module is built by nginx's own build system with Debian's own flags.
$(MODULE): $(wildcard ngx_rbl_module/* ngx_rbl_module/*/*) $(SHARED) \
    $(wildcard shared/*/*.h) $(GEN)
	+$(call say,MOD,$@)RBL_GEN=$(abspath $(BUILD)/gen) sh ngx_rbl_module/build.sh \
	    $(abspath $(BUILD)) "$(SANITIZE)"

# The manual pages; two of them include the keys and commands as the programs
# print them.
man: $(BUILD)/man/rblctl.8
PAGES    = $(notdir $(wildcard conf/man/*.[1-9]) \
             $(patsubst %.in,%,$(wildcard conf/man/*.in)))
OTHERS   = https://manpages.debian.org/%N.%S

$(BUILD)/man/rblctl.8: $(wildcard conf/man/*) $(BUILD)/rbl-checkd \
    $(BUILD)/rblctl
	@mkdir -p $(@D)
	$(call say,MAN,$(@D))perl conf/man/pages.pl $(BUILD)
	@touch $@

doc: man
	@sh conf/deps.sh doc
	@mkdir -p $(BUILD)/doc
	@cd $(BUILD)/doc && touch $(PAGES:=.html) && for page in $(PAGES); do \
	    echo "  HTML $(BUILD)/doc/$$page.html"; \
	    mandoc -Thtml -O toc,man='%N.%S.html;$(OTHERS)' ../man/$$page \
	        >$$page.html || exit 1; \
	done

# Without npm all else is built, and the portal is not.
$(PORTAL)/index.html: $(WEB)
	@mkdir -p $(BUILD)
	$(call say,WEB,$(@D))sh ngx_rbl_module/web/build.sh $(BUILD) $(PORTAL) \
	    >$(BUILD)/portal.log || { cat $(BUILD)/portal.log; \
	    ! command -v npm >/dev/null; }

deps:
	@sh conf/deps.sh build test

run:
	@sh conf/deps.sh build run
	@$(MAKE) --no-print-directory -s all
	@sh conf/run.sh $(BUILD)

# The sanitizers want an nginx of their own: in Debian's binary, pools hide
# errors, and what it leaves at exit looks like leaks.
ifneq ($(SANITIZE),)
NGINX    = $(BUILD)/nginx-asan
TESTENV  = RBL_NGINX=$(abspath $(NGINX)) RBL_PRELOAD= \
           UBSAN_OPTIONS=print_stacktrace=1 RBL_REQUESTS=5000
endif

$(BUILD)/nginx-asan: ngx_rbl_module/nginx-asan.sh
	+$(call say,NGX,$@)sh ngx_rbl_module/nginx-asan.sh $(abspath $(BUILD)) \
	    "$(SANITIZE)"
	@touch $@

# A dozen programs at a time, since they mostly wait; fewer if a sanitizer slows
# them down.  Those that measure times, and say so in their head by a line
# "# Alone: what for", come after them, two at a time.  Both parts run,
# whatever the first of them says.
JOBS    ?= $(if $(SANITIZE),4,12)
unitbin  = $(patsubst t/unit/%.c,$(BUILD)/t/unit/%,$(1))

# T: test programs, or sources of unit tests.  Without T: all but the long ones,
# which t/endure.sh names.
T       ?=
LONG     = $(shell grep -o 't/[a-z_/]*\.t\b' t/endure.sh)
CHOSEN   = $(or $(T),$(UNIT) $(filter-out $(LONG),$(sort $(wildcard t/*/*.t))))
TESTS    = $(call unitbin,$(CHOSEN))
TIMED    = $(shell grep -l '^\# Alone: ' $(filter %.t,$(TESTS)) /dev/null)
SLOW     = $(call unitbin,$(shell sed '/^\#/d' t/slow))
slowest  = $(filter $(1),$(SLOW)) $(filter-out $(SLOW),$(1))
ALONE    = $(call slowest,$(TIMED))
BESIDE   = $(call slowest,$(filter-out $(TIMED),$(TESTS)))
CORES    = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

check:
	@sh conf/deps.sh build test
	@$(MAKE) $(CORES) --no-print-directory all unit tools style $(NGINX) \
	    $(if $(SANITIZE),,clang) \
	    $(if $(filter t/fuzz/corpus.t,$(CHOSEN)),replay)
	@$(TESTENV) RBL_BUILD=$(abspath $(BUILD)) PROVE="$(PROVE)" \
	    sh t/check.sh $(BUILD) $(JOBS) "$(BESIDE)" "$(ALONE)"

# The programs of `make check`.
programs:
	@echo $(CHOSEN)

endure:
	@sh t/endure.sh $(ENDURE)

# Server programs of Debian's releases, and kinds of tests (t/stores.sh).
STORES  ?= redis-7.0 redis-8.0 valkey-8.1
KINDS   ?= scripts costs store failover cluster upgrade

stores:
	@sh conf/deps.sh build test suite
	@$(MAKE) $(CORES) --no-print-directory all tools
	@RBL_BUILD=$(abspath $(BUILD)) PROVE="$(PROVE)" \
	    sh t/stores.sh $(BUILD) $(JOBS) "$(STORES)" "$(KINDS)"

slow:
	@sh t/slow.sh $(BUILD)/beside.log $(BUILD)/alone.log >$(BUILD)/slow \
	    && mv $(BUILD)/slow t/slow

asan:
	$(MAKE) BUILD=build/asan SANITIZE=address,undefined check

# For editors: how each file is compiled.
compdb: $(GEN)
	@RBL_CPPFLAGS="$(CPPFLAGS)" sh t/flags.sh $(abspath $(BUILD)) \
	    >compile_commands.json

# Another compiler's warnings, without code; a folder in one call, since clang
# starts for longer than it reads a file.  The module's are nginx's own.
CHECKED  = $(SHARED) $(DAEMON) $(CTL) $(UNIT) $(TOOLS) rbl-checkd/main.c \
           $(wildcard ngx_rbl_module/*.c ngx_rbl_module/*/*.c)
HEADERS  = $(wildcard shared/*/*.h t/unit/*.h t/tools/*.h $(addsuffix .h, \
             $(addprefix rbl-checkd/,* */* */*/*) \
             $(addprefix ngx_rbl_module/,* */*)))
FOLDERS  = $(sort $(dir $(CHECKED)))
SYNTAX   = $(FOLDERS:%/=$(BUILD)/clang/%.ok)

clang: $(SYNTAX)

define of_folder
$(1:%/=$(BUILD)/clang/%.ok): $(foreach c,$(CHECKED),$(if \
    $(filter $(1),$(dir $(c))),$(c))) $(HEADERS) | $(GEN) $(MODULE)
endef
$(foreach folder,$(FOLDERS),$(eval $(call of_folder,$(folder))))

# nginx's headers are most of each source of the module: they are read once.
NGXPCH   = $(BUILD)/clang/nginx.pch
INMODULE = $(filter $(BUILD)/clang/ngx_rbl_module%,$(SYNTAX))
$(NGXPCH) $(INMODULE): WARN = -Wall -Wextra -Wpointer-arith \
    -Wno-unused-parameter -Werror
$(INMODULE): WITH = -include-pch $(NGXPCH)
$(INMODULE): $(NGXPCH)

# build.sh writes it when it configures for another nginx.
$(BUILD)/nginx/told: $(MODULE) ;
$(NGXPCH): $(BUILD)/nginx/told
	@mkdir -p $(@D)
	$(call say,LNT,$@)printf '#include <ngx_http.h>\n' | clang -x c-header \
	    $(WARN) $(CPPFLAGS) $$(sh t/flags.sh $(abspath $(BUILD)) \
	    ngx_rbl_module/x) -o $@ -

$(SYNTAX):
	@mkdir -p $(@D)
	$(call say,LNT,$(@:$(BUILD)/clang/%.ok=%))clang -fsyntax-only $(WITH) \
	    $(WARN) $(CPPFLAGS) $$(sh t/flags.sh $(abspath $(BUILD)) \
	    $(firstword $(filter %.c,$^))) $(filter %.c,$^)
	@touch $@

style:
	@sh t/style.sh

analyze:
	@sh conf/deps.sh build analyze
	@$(MAKE) --no-print-directory module
	@RBL_CPPFLAGS="$(CPPFLAGS)" sh t/analyze/analyze.sh $(BUILD)

clean:
	rm -rf $(BUILD)

include conf/install.mk
include conf/container/container.mk
include t/fuzz/fuzz.mk
include t/bench/bench.mk
include t/hazard/hazard.mk
include t/lab/lab.mk
include t/valgrind/valgrind.mk

-include $(OBJS:.o=.d)

endif
