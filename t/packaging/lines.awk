# The commands of a manual page: what is in its literal displays, as it is read.
# A backslash is written \e there.

/^\.Bd -literal/ { on = 1; next }
/^\.Ed/          { on = 0 }
on {
    gsub(/\\e/, "\\")
    print
}
