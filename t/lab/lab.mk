# make soak: random worlds of lists for ten minutes (soak.pl says what may be
# chosen).  Needs root: its servers have port 53, on addresses of 127/8.
#
# make lab: the wrongness table (RblLab/Table.pm) of this checker and of others
# that Debian and npm have.  Needs root: each asks port 53, in a network of its
# own, where the laboratory is the whole of the DNS.

.PHONY: lab soak

lab:
	@sh conf/deps.sh build test lab
	@$(MAKE) --no-print-directory all tools
	@RBL_BUILD=$(abspath $(BUILD)) perl -It/lib -MRblNode \
	    -e 'node_modules("t/lab/peers/package.json", "lab")'
	@RBL_BUILD=$(abspath $(BUILD)) unshare -m -n perl -It/lib \
	    t/lab/others.pl

soak:
	@sh conf/deps.sh build test
	@$(MAKE) --no-print-directory daemon
	@RBL_BUILD=$(abspath $(BUILD)) perl -It/lib t/lab/soak.pl
