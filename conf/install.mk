# make install, make deb.
#
# DESTDIR is prepended to every path.  sysconfdir and datadir are compiled into
# the programs: after a change of them, clean the tree first.

prefix      ?= /usr
sbindir     ?= $(prefix)/sbin
datadir     ?= $(prefix)/share
mandir      ?= $(datadir)/man
moddir      ?= $(prefix)/lib/nginx/modules
sysusersdir ?= $(prefix)/lib/sysusers.d
unitdir     ?= /lib/systemd/system
sysconfdir  ?= /etc
DESTDIR     ?=

ifneq ($(sysconfdir),/etc)
CPPFLAGS    += -DCONFIG_DIR='"$(sysconfdir)/rbl-checkd"'
endif
ifneq ($(datadir),/usr/share)
CPPFLAGS    += -DSHARE_DIR='"$(datadir)/rbl-checkd"'
endif

PLACES       = DESTDIR='$(DESTDIR)' sbindir='$(sbindir)' \
               datadir='$(datadir)' mandir='$(mandir)' moddir='$(moddir)' \
               sysusersdir='$(sysusersdir)' unitdir='$(unitdir)' \
               sysconfdir='$(sysconfdir)'

.PHONY: install install-daemon install-module deb repo repo-check \
        deb-check

install: install-daemon install-module

install-daemon: daemon man
	@$(PLACES) sh conf/install.sh $(BUILD) $(PORTAL) daemon

install-module: module portal
	@$(PLACES) sh conf/install.sh $(BUILD) $(PORTAL) module

# Two packages for the Debian release of this machine in $(BUILD)/deb.
deb:
	@sh conf/deps.sh build deb
	@$(MAKE) --no-print-directory portal
	@sh conf/debian/build.sh $(BUILD)/deb $(PORTAL)

# A signed apt repository of the packages for Debian 12 and 13 in $(BUILD)/repo.
# REPO_KEY names the key; needs root and the network.
repo:
	@sh conf/deps.sh repo
	@sh conf/debian/repo.sh $(BUILD)/repo $(BUILD)/suite bookworm trixie

# Makes the repository twice, compares, and installs, upgrades, removes and purges
# its packages on machines in directories.
repo-check:
	@sh conf/deps.sh repo fresh
	@sh t/packaging/repo.sh $(BUILD)

# Installs the packages on fresh machines in directories, by the two commands and
# by all lines of rbl-operations(7); needs root and the network.
DEB_SUITES  ?= bookworm trixie

deb-check:
	@sh conf/deps.sh fresh
	@sh t/packaging/deb_check.sh $(DEB_SUITES)
