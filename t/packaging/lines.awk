# The commands of a manual page: what is in its literal displays, as it is read.
# A backslash is written \e there.  A display behind a comment "not run: WHY" is
# left out, and so are those of the section that the variable `without` names.

/^\.Sh /          { section = substr($0, 5) }
/^\.\\" not run: / { skip = 1 }
/^\.Bd -literal/ { on = !skip && section != without; skip = 0; next }
/^\.Ed/          { on = 0 }
on {
    gsub(/\\e/, "\\")
    print
}
