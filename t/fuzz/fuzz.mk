# Fuzz targets: t/fuzz/fuzz_NAME.c, each one program.  Built in the ordinary
# way they run once on each kept input (t/fuzz/corpus.t); `make fuzz` builds
# them with libFuzzer in a directory of its own and lets it make inputs.
#
# Targets named fuzz_ngx_* are of the module and are linked with nginx's own
# strings and pools, for which its source must be there: $(NGX_TREE).

FUZZ        = $(filter-out t/fuzz/fuzz_ngx_%,$(wildcard t/fuzz/fuzz_*.c))
FUZZNGX     = $(wildcard t/fuzz/fuzz_ngx_*.c)
FUZZBIN     = $(patsubst %.c,$(BUILD)/%,$(FUZZ))
FUZZNGXBIN  = $(patsubst %.c,$(BUILD)/%,$(FUZZNGX))
FUZZOBJS    = $(call obj,$(FUZZ) $(FUZZNGX) t/fuzz/replay.c)

NGX_TREE   ?= $(firstword $(wildcard $(addsuffix /nginx-src/nginx-1*/, \
                $(BUILD) $(BUILD)/fuzz)))
NGX_CORE    = $(addprefix $(BUILD)/obj/ngx/,core/ngx_string.o \
                core/ngx_palloc.o os/unix/ngx_alloc.o)
NGX_INCS    = $(addprefix -isystem /usr/share/nginx/src/src/,core event \
                event/modules os/unix http http/modules http/v2) \
              -isystem $(BUILD)/nginx
RBL_ADDON   = $(patsubst %,$(BUILD)/nginx/addon/%.o, \
                auth/ngx_rbl_session \
                http/ngx_rbl_body http/ngx_rbl_fields \
                http/ngx_rbl_multipart http/ngx_rbl_params \
                http/ngx_rbl_route \
                store/ngx_rbl_commands)
CTL_LISTS   = $(call obj,$(addprefix rbl-checkd/ctl/,lists_file.c \
                lists_way.c secret.c))

# Who has the main function: libFuzzer, or the program that replays.
ifneq ($(findstring fuzzer,$(SANITIZE)),)
FUZZMAIN    =
FUZZLINK    = $(CC) $(LDOPT) -fsanitize=fuzzer
else
FUZZMAIN    = $(call obj,t/fuzz/replay.c)
FUZZLINK    = $(CC) $(LDOPT)
endif

.PHONY: fuzz fuzz-keep fuzzers replay

$(FUZZOBJS): CPPFLAGS += -It/fuzz
$(call obj,$(FUZZNGX)): CPPFLAGS += $(addprefix -I,$(wildcard \
                ngx_rbl_module ngx_rbl_module/*/)) $(NGX_INCS)
$(call obj,$(FUZZNGX)): $(MODULE)
$(RBL_ADDON): $(MODULE) ;

# nginx's own habits that are no faults here: see nginx-asan.sh.
$(BUILD)/obj/ngx/%.o: $(NGX_TREE)/src/%.c $(MODULE)
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(NGX_INCS) $(OPT) -DNGX_DEBUG_PALLOC=1 -w \
	    $(if $(SANITIZE),-fno-sanitize=nonnull-attribute$(comma)alignment \
	    -fno-sanitize=pointer-overflow) -c -o $@ $<

comma       = ,

$(BUILD)/t/fuzz/fuzz_catalogue: $(CTL_LISTS)

$(FUZZBIN): $(BUILD)/%: $(BUILD)/obj/%.o $(FUZZMAIN) $(ARCHIVES)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(FUZZLINK) -o $@ $(filter %.o,$^) $(ARCHIVES) $(LIBS)

$(BUILD)/libaddon.a: $(RBL_ADDON) t/fuzz/fuzz.mk
	@rm -f $@
	$(call say,AR,$@)ar rcs $@ $(RBL_ADDON)

$(FUZZNGXBIN): $(BUILD)/%: $(BUILD)/obj/%.o $(FUZZMAIN) $(BUILD)/libaddon.a \
    $(NGX_CORE) $(ARCHIVES)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(FUZZLINK) -o $@ $^ $(LIBS)

fuzzers: $(FUZZBIN) $(FUZZNGXBIN)

# What make check replays.
replay: $(FUZZBIN) $(if $(NGX_TREE),$(FUZZNGXBIN))

FUZZMAKE    = $(MAKE) --no-print-directory CC=clang BUILD=$(BUILD)/fuzz \
              SANITIZE=fuzzer-no-link,address,undefined

fuzz:
	@sh conf/deps.sh build test fuzz
	@sh ngx_rbl_module/nginx-source.sh $(BUILD)/fuzz >/dev/null
	@$(FUZZMAKE) fuzzers
	@sh t/fuzz/run.sh $(BUILD)/fuzz

# Puts what was found worth keeping into t/fuzz/corpus.
fuzz-keep:
	@sh t/fuzz/run.sh $(BUILD)/fuzz keep

-include $(FUZZOBJS:.o=.d)
