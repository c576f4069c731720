# Lines of TAP, for checks in a machine that source this file.

n=0
bad=0

# is WHAT COMMAND...: one line of TAP
is()
{
    what=$1
    shift
    n=$((n + 1))
    if "$@" >/tmp/look.out 2>&1; then
        echo "ok $n - $what"
    else
        echo "not ok $n - $what"
        sed 's/^/# /' /tmp/look.out
        bad=$((bad + 1))
    fi
}

no() { ! "$@"; }

# within COMMAND...: it succeeds within half a minute
within() { i=0; until "$@"; do i=$((i + 1)); [ $i -lt 30 ] || return 1; sleep 1
    done; }

# told PATTERN: a line of the last setup (setup, below) has it
told() { grep -E -- "$1" /tmp/setup.out || { cat /tmp/setup.out; return 1; }; }

# setup STATUS OPTION...: runs rblctl setup, which ends with this status
setup()
{
    want=$1
    shift
    status=0
    rblctl setup "$@" >/tmp/setup.out 2>&1 </dev/null || status=$?
    [ $status = "$want" ] || { cat /tmp/setup.out; return 1; }
}

plan() { echo "1..$n"; [ $bad = 0 ]; }
