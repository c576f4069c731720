# make lab: the wrongness table (RblLab/Table.pm) of this checker and of others
# that Debian and npm have.  Needs root: each asks port 53, in a network of its
# own, where the laboratory is the whole of the DNS.

.PHONY: lab

lab:
	@sh conf/deps.sh build test lab
	@$(MAKE) --no-print-directory all tools
	@RBL_BUILD=$(abspath $(BUILD)) perl -It/lib -MRblNode \
	    -e 'node_modules("t/lab/peers/package.json", "lab")'
	@RBL_BUILD=$(abspath $(BUILD)) unshare -m -n perl -It/lib \
	    t/lab/others.pl
