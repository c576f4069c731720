# The commands of a manual page: what is in its literal displays, as it is read.
# A backslash is written \e there.  A display behind a comment "not run: WHY" is
# left out.

/^\.\\" not run: / { skip = 1 }
/^\.Bd -literal/ { on = !skip; skip = 0; next }
/^\.Ed/          { on = 0 }
on {
    gsub(/\\e/, "\\")
    print
}
