#!/bin/sh
# rblctl setup: makes a working service of the installed packages.
#
# May be run again at any time: each step does what lacks and nothing else, and
# a setup that was killed is completed by the next one.  A step tells what it
# did ("done"), what was so ("was so"), what it leaves alone and why ("left
# alone"), and what is "still to do", with the line to run.
#
# Files that it writes as a whole end with a digest of their text.  If that is
# wrong, the file was changed by hand and is left alone; --show FILE prints what
# setup would write.  In the files of /etc/rbl-checkd it sets single keys,
# each with a digest behind it; a key that was set by hand stays.
#
# The exit status is 0 if the service works, 1 if something is still to do that
# stops it, and 2 after a wrong option.
#
# For tests: RBL_SETUP_ROOT is a directory in front of the places of other
# packages, and RBL_SETUP_STOP=N kills the setup after its Nth change.
set -u

etc=/etc/rbl-checkd
share=/usr/share/rbl-checkd
web=/usr/share/ngx_rbl
units=/lib/systemd/system
root=${RBL_SETUP_ROOT:-}
state=$root/run/rbl-setup

PATH=$PATH:/usr/sbin:/sbin
LC_ALL=C
export PATH LC_ALL
unset RBL_STORE REDISCLI_AUTH
umask 077

# The steps, in order; each is a function do_NAME.
steps='
machine    this machine has what the service needs
choices    the options of this call are kept for the next one
passwords  each user of the store has a password
store      a store of its own: Redis or Valkey on a unix socket
settings   the daemon and rblctl know the store
mail       a mail server for contacts and sign-in links
schema     the store is initialised
lists      the catalogue of blocklists is loaded
daemon     rbl-checkd runs
account    there is an account
token      there is a token of the API
site       nginx serves the API and the portal
people     an owner and an operator can sign in to the portal
backup     the store is copied each day
try        the API answers, and the service is well
'


# --- output ------------------------------------------------------------------

left=
first=                          # still to do before the service works
todo=
links=

say()
{
    [ -n "$show" ] || printf '  %-11s %s\n' "$1" "$2"
}


did()
{
    [ -n "$dry" ] && say 'would' "$1" || say 'done' "$1"
}


was()
{
    say 'was so' "$1"
}


# leave WHAT LINE: left alone
leave()
{
    say 'left alone' "$1"
    left="$left
  $1${2:+
      $2}"
}


# later WHAT [LINE]: still to do, but the service works without it
later()
{
    say 'still to do' "$1"
    todo="$todo
  $1${2:+
      $2}"
}


# lack WHAT [LINE]: still to do, and the service does not work without it
lack()
{
    say 'still to do' "$1"
    first="$first
  $1${2:+
      $2}"
}


# Ends with what was left alone and what is still to do.
finish()
{
    if [ -n "$show" ]; then
        echo "rblctl setup:${first#?}" >&2
        exit 1
    fi
    [ -z "$left" ] || printf '\nLeft alone:%s\n' "$left"
    [ -z "$todo" ] || printf '\nStill to do:%s\n' "$todo"
    [ -z "$links" ] \
        || printf '\nEach link signs in once, within 15 minutes:%s\n' "$links"
    if [ -n "$dry" ]; then
        printf '\nNothing was changed.\n'
    elif [ -z "$first" ]; then
        printf '\nThe service works: %s\n' "$url"
        printf 'rblctl doctor looks for what can make it fail.\n'
    fi
    [ -n "$first" ] || exit 0
    printf '\nBefore the service works:%s\n' "$first"
    exit 1
}


# die WHAT [LINE]: nothing more can be done
die()
{
    lack "$@"
    finish
}


usage()
{
    echo "rblctl setup: $*" >&2
    exit 2
}


# --- changes -----------------------------------------------------------------

changes=0

# Each change of this machine or of the store is followed by this call.
changed()
{
    changes=$((changes + 1))
    [ "${RBL_SETUP_STOP:-}" != $changes ] || kill -KILL $$
}


# run WHAT COMMAND...: a change; 1 if it failed, with its output in $output
run()
{
    what=$1
    shift
    output=
    if [ -z "$dry" ]; then
        output=$("$@" 9>&- 2>&1) || return 1
        changed
    fi
    did "$what"
}


# The unit needs a restart or a reload, also if this setup is killed first.
# /run is empty after a boot, which has restarted everything.
pending()
{
    [ -z "$1" ] || [ -n "$dry" ] || touch -- "$state/$1" \
        || die "cannot write $state/$1"
}


is_pending()
{
    [ -e "$state/$1" ]
}


settled()
{
    rm -f -- "$state/$1"
}


# outdated UNIT FILE: the unit is pending if the file was changed after the unit
# read it, as by a restore
outdated()
{
    [ -n "$manager" ] && [ -e "$2" ] || return 0
    taken=$(systemctl show --timestamp=unix -p ActiveEnterTimestamp --value \
        "$1" 2>/dev/null)
    taken=${taken#@}
    case $taken in '' | *[!0-9]*) return ;; esac
    reload=$(stat -c %Y -- "$state/$1.taken" 2>/dev/null) || reload=0
    [ "$reload" -le "$taken" ] || taken=$reload
    # An archive gives a file the old time of its text, but not of its change.
    [ "$(stat -c %Z -- "$2")" -le "$taken" ] || pending "$1"
}


# write FILE MODE OWNER TEXT: replaces the file at once
write()
{
    [ -z "$dry" ] || return 0
    rm -f -- "$1.rbl-setup"
    if ! output=$({ (set -C; printf '%s\n' "$4" | cat >"$1.rbl-setup") \
        && owner "$3" "$1.rbl-setup" && chmod "$2" "$1.rbl-setup" \
        && [ "$(cat -- "$1.rbl-setup")" = "$4" ] \
        && sync "$1.rbl-setup" && mv -f -- "$1.rbl-setup" "$1"; } 2>&1)
    then
        rm -f -- "$1.rbl-setup"
        die "cannot write $1: ${output##*: }" "df -h ${1%/*}"
    fi
    changed
}


# Tests need not run as root.
owner()
{
    [ "$(id -u)" != 0 ] || chown -- "$1" "$2"
}


# place DIR MODE OWNER: the owner comes last, and so tells that all is done
place()
{
    mkdir -p -- "$1" && chmod "$2" "$1" && owner "$3" "$1"
}


# directory DIR MODE OWNER
directory()
{
    if [ ! -d "$1" ] || { [ "$(id -u)" = 0 ] \
        && [ "$(stat -c %U:%G "$1")" != "$3" ]; }; then
        run "make $1" place "$@" || die "cannot make $1: $output"
    fi
}


digest()
{
    sha256sum | cut -c "-$1"
}


mark='# rblctl setup: sha256'

# untouched FILE: its last line is the digest of the others
untouched()
{
    [ "$(tail -n 1 -- "$1")" = "$mark $(sed '$d' -- "$1" | digest 64)" ]
}


# put FILE MODE OWNER UNIT TEXT: a whole file that the unit reads.  1: it was
# changed by hand.
put()
{
    new="$5
$mark $(printf '%s\n' "$5" | digest 64)"

    if [ "$show" = "$1" ]; then
        printf '%s\n' "$new"
        shown=1
    elif [ ! -e "$1" ] || { untouched "$1" && [ "$(cat -- "$1")" != "$new" ]; }
    then
        pending "$4"
        write "$1" "$2" "$3" "$new"
        did "write $1"
    elif untouched "$1"; then
        was "$1"
    else
        leave "$1 was changed by hand" \
            "rblctl setup --show $1 | diff $1 -"
        return 1
    fi
}


# value FILE KEY: what the file sets the key to; nothing if it does not
value()
{
    [ ! -e "$1" ] || sed -n -E "s/^[ 	]*$2[ 	]+//p" "$1" | tail -n 1 \
        | sed -E 's/[ 	]+#.*//; s/^"(.*)"$/\1/'
}


# ours FILE KEY: the line of the key is as setup wrote it
ours()
{
    line=$(grep -E "^[ 	]*$2[ 	]" "$1" | tail -n 1)
    [ "${line##*# rblctl setup: }" = \
        "$(printf '%s %s\n' "$2" "$(value "$1" "$2")" | digest 8)" ]
}


# set_key FILE KEY VALUE.  1: it was set to something else by hand.
set_key()
{
    now=$(value "$1" "$2")
    if [ "$now" = "$3" ]; then
        was "$2 $3 in $1"
        return 0
    elif [ -n "$now" ] && ! ours "$1" "$2"; then
        lack "$1 has \"$2 $now\", and setup needs \"$2 $3\"" \
            "sed -i 's|^$2 .*|$2 $3|' $1"
        return 1
    fi

    pending rbl-checkd
    key=$2
    line="$2 $3    # rblctl setup: $(printf '%s %s\n' "$2" "$3" | digest 8)"
    export key line
    # In place of the line in force, or of the commented default, or at the end.
    new=$(awk '{ text[NR] = $0 }
        $1 == ENVIRON["key"] { at = NR; live = 1 }
        !live && !at && $1 == "#" ENVIRON["key"] { at = NR }
        END {
            for (i = 1; i <= NR; i++)
                print i == at ? ENVIRON["line"] : text[i]
            if (!at) print ENVIRON["line"]
        }' "$1") || die "cannot read $1"
    write "$1" "$(stat -c %a "$1")" "$(stat -c %U:%G "$1")" "$new"
    did "set $2 $3 in $1"
}


# --- programs ----------------------------------------------------------------

ctl()
{
    rblctl -c "$etc/rblctl.conf" "$@" 9>&-
}


# member NAME: the values of a member in output of rblctl --json, one a line
member()
{
    sed -n 's/^ *"'"$1"'": "\(.*\)",*$/\1/p'
}


# with NAME VALUE: the id of the first object of such a list with this member
with()
{
    name=$1 text=$2 awk '
        /^ *"id": / { split($0, part, "\""); id = part[4] }
        index($0, "\"" ENVIRON["name"] "\": \"" ENVIRON["text"] "\"") {
            print id
            exit
        }'
}


# works UNIT WHAT-TO-DO LINE: enables and starts the unit, and lets it take the
# files that were changed (WHAT-TO-DO: restart, reload).  Without systemd it
# tells the line.  1: it does not run.
works()
{
    if [ -z "$manager" ]; then
        ! is_pending "$1" || later "start or $2 $1 by hand" "$3"
        settled "$1"
        return 0
    fi
    systemctl is-enabled -q "$1" 2>/dev/null \
        || run "enable $1" systemctl enable -q "$1" \
        || { lack "$1 cannot be enabled: $output"; return 1; }
    if ! systemctl is-active -q "$1"; then
        systemctl reset-failed "$1" 2>/dev/null
        run "start $1" systemctl restart "$1"
    elif is_pending "$1"; then
        run "$2 $1" systemctl "$2" "$1"
    else
        was "$1 runs"
    fi || {
        lack "$1 does not start" "journalctl -n 20 -u $1"
        return 1
    }
    [ -n "$dry" ] || ! is_pending "$1" || touch -- "$state/$1.taken"
    settled "$1"
}


# listener PORT: the program that listens at this TCP port, "?" if it cannot be
# found, nothing if none does
listener()
{
    inodes=$(awk -v port="$(printf ':%04X' "$1")" '$4 == "0A" &&
        substr($2, length($2) - 4) == port { print $10 }' \
        /proc/net/tcp /proc/net/tcp6 2>/dev/null)
    for inode in $inodes; do
        fd=$(find /proc/[0-9]*/fd -lname "socket:\[$inode\]" 2>/dev/null \
            | head -n 1)
        fd=${fd#/proc/}
        cat "/proc/${fd%%/*}/comm" 2>/dev/null || echo '?'
        return
    done
}


# --- this machine ------------------------------------------------------------

# room DIR KIB: die if the disk is full
room()
{
    dir=$1
    while [ ! -d "$dir" ]; do
        dir=${dir%/*}
    done
    free=$(df -Pk "${dir:-/}" | awk 'NR == 2 { print $4 }')
    [ "${free:-0}" -ge "$2" ] \
        || die "the disk of $1 is full: $free KiB are free, and $2 are needed" \
            "df -h ${dir:-/}"
}


do_machine()
{
    manager=
    [ -n "$root" ] || [ ! -d /run/systemd/system ] || manager=systemd
    [ -n "$manager" ] || later "this machine is not run by systemd: setup \
writes the files, and says what to start by hand"

    # A store that is filled by a wrong clock shows wrong times for years.
    for file in "$share/lists.json" "$etc/setup.choices"; do
        if [ -n "$(find "$file" -newermt '1 day' 2>/dev/null)" ]; then
            die "the clock is wrong: it says $(date -u +%F), and $file is of \
$(date -u -r "$file" +%F)" 'timedatectl set-ntp true'
        fi
    done

    room "$etc" 1024
    room "$root/etc/nginx" 1024
    was "$(date -u '+the clock says %F %T UTC'), and the disk has room"
}


do_choices()
{
    text='# What rblctl setup was asked for, so that it need not be told again.'
    for name in $options; do
        eval "text=\"\$text\${opt_$(echo "$name" | tr - _):+
$name \$opt_$(echo "$name" | tr - _)}\""
    done
    if [ "$(cat "$etc/setup.choices" 2>/dev/null)" = "$text" ]; then
        was "$etc/setup.choices"
    else
        write "$etc/setup.choices" 644 root:root "$text"
        did "write $etc/setup.choices"
    fi
}


# --- the store ---------------------------------------------------------------

# The users of the store, and the file with the password of each.
users="
default $etc/redis.password
rbl-api $root/etc/nginx/rbl-store.password
rbl-portal $root/etc/nginx/rbl-portal.password
rbl-checkd $etc/store.password
rblctl $etc/rblctl.password
rblctl-fsck $etc/fsck.password
"

do_passwords()
{
    [ -d "$root/etc/nginx" ] || die "there is no nginx: $root/etc/nginx" \
        'apt-get install nginx'
    while read -r user file; do
        if [ -z "$user" ]; then
            continue
        elif [ -s "$file" ]; then
            was "$file"
        else
            write "$file" 600 root:root \
                "$(head -c 32 /dev/urandom | digest 64)"
            did "write $file: password of user $user"
        fi
    done <<END
$users
END
}


# The text of redis-rbl.acl with the hashes of the passwords.
acl()
{
    edit=$(echo "$users" | grep . | while read -r user file; do
        hash=$(head -n 1 "$file" 2>/dev/null | tr -d '\n' | digest 64)
        echo "s/^user $user off /user $user on #$hash /"
    done)
    sed "$edit" "$share/redis-rbl.acl"
}


# Finds which server is installed, and where its files are.
engine()
{
    for engine in redis valkey ''; do
        # redis-server may be another name of valkey-server.
        "$engine-server" --version 2>/dev/null | grep -qi "^$engine" && break
    done
    [ -n "$engine" ] || die 'there is no Redis and no Valkey' \
        'apt-get install redis-server'

    version=$("$engine-server" --version | sed 's/.* v=\([0-9]*\).*/\1/')
    [ "${version:-0}" -ge 7 ] || die "$engine-server has version $version, and \
the store needs version 7 or later" "apt-get install $engine-server"

    unit=$engine-server@rbl
    conf=$root/etc/$engine/$engine-rbl.conf
    data=$root/var/lib/$engine/rbl
    run_dir=$root/run/$engine-rbl
    socket=$run_dir/$engine.sock
    log=$root/var/log/$engine/$engine-server-rbl.log
    store=unix:$socket

    for other in redis valkey; do
        [ "$other" = "$engine" ] || [ ! -d "$root/var/lib/$other/rbl" ] \
            || die "the data of the store are in $root/var/lib/$other/rbl, \
and $other-server is not installed" "apt-get install $other-server"
    done
}


store_conf()
{
    cat <<CONF
# The store of rbl-checkd and of ngx_rbl: a server of its own, at a socket only.
# rbl-operations(7) describes backup and restore.

port 0
unixsocket $socket
# Every program may connect, and needs a password.
unixsocketperm 777

dir $data
logfile $log
databases 1

# A change is on the disk before its client gets an answer, and no key is ever
# evicted.
appendonly yes
appendfsync always
save ""
maxmemory-policy noeviction

include ${conf%.conf}.acl
CONF
}


# Prints the answer of the store to PING.
ping()
{
    REDISCLI_AUTH=$(head -n 1 "$etc/redis.password" 2>/dev/null) \
        "$engine-cli" -s "$socket" --no-auth-warning PING 2>&1 | head -n 1
}


# The store that the programs have already; nothing if they have none.
configured()
{
    for file in "$etc/rbl-checkd.conf" "$etc/rblctl.conf"; do
        now=$(value "$file" store)
        [ -z "$now" ] || { echo "$now"; return; }
        for key in store_user store_password_file; do
            now=$(value "$file" $key)
            [ -z "$now" ] || { echo 127.0.0.1:6379; return; }
        done
    done
}


store_own()
{
    engine
    other=$(configured)
    [ "${other:-$store}" = "$store" ] \
        || die "$etc/rbl-checkd.conf has the store $other, and setup would \
leave its data behind" "rblctl setup --store $other"

    room "$data" 65536
    directory "$data" 750 "$engine:$engine"
    [ -n "$manager" ] || directory "$run_dir" 2755 "$engine:$engine"
    put "${conf%.conf}.acl" 640 "root:$engine" "$unit" "$(acl)"
    put "$conf" 640 "root:$engine" "$unit" "$(store_conf)"
    [ -z "$show" ] || return 0

    # A server that is started by hand makes a new socket.
    [ -n "$manager" ] || [ ! "$socket" -nt "$state/$unit" ] || settled "$unit"
    answer=$(ping)
    if [ -n "$manager" ]; then
        works "$unit" restart || return
    elif is_pending "$unit" || [ "$answer" != "${answer#Could not}" ]; then
        lack 'start the store by hand, or start it again' "runuser -u \
$engine -- $engine-server $conf --daemonize yes"
        return 1
    fi

    tries=0
    while answer=$(ping); [ "$answer" != PONG ] && [ $tries -lt 300 ]; do
        case $answer in
        'Could not'* | LOADING*) ;;
        *)  break ;;
        esac
        [ -z "$dry" ] || break
        tries=$((tries + 1))
        sleep 0.2
    done
    if [ "$answer" != PONG ] && [ -z "$dry" ]; then
        lack "the store answers $answer" "tail $log"
        return 1
    fi
    up=1
}


# A store of the operator: its users and settings are only checked.
store_given()
{
    store=$opt_store
    put "$etc/redis-rbl.acl" 600 root:root '' "$(acl)"
    [ -z "$show" ] || return 0

    refused=
    while read -r user file; do
        case $user in '' | default) continue ;; esac
        [ -z "$dry" ] || continue
        output=$(ctl --store "$store" --user "$user" --password-file "$file" \
            status --json 2>&1 >/dev/null)
        case $output in
        *'refuses the user'* | *WRONGPASS*) refused="$refused, $user" ;;
        *'cannot reach'*)
            lack "the store does not answer: ${output#rblctl: }" \
                "rblctl --store $store status"
            return 1 ;;
        esac
    done <<END
$users
END

    if [ -n "$refused" ]; then
        lack "the store refuses the users ${refused#, }" "put the lines of \
$etc/redis-rbl.acl into the configuration of the store, see rbl-operations(7)"
        return 1
    fi
    was "the store $store knows the users"
    if ctl --store "$store" --user rblctl \
        --password-file "$etc/rblctl.password" status 2>/dev/null \
        | grep -q '^ *append-only file  *no'
    then
        later 'the store needs an append-only file' \
            'redis-cli CONFIG SET appendonly yes; redis-cli CONFIG REWRITE'
    fi
    later 'setup cannot see appendfsync of the store; it should be "always"' \
        'redis-cli CONFIG GET appendfsync'
    up=1
}


do_store()
{
    if [ -n "$opt_store" ]; then
        store_given
    else
        store_own
    fi
}


do_settings()
{
    for name in rbl-checkd rblctl; do
        file=$etc/$name.conf
        password=$etc/$name.password
        [ $name = rblctl ] || password=$etc/store.password
        [ -e "$file" ] || die "there is no $file" \
            'apt-get install --reinstall -o Dpkg::Options::=--force-confmiss \
rbl-checkd'
        set_key "$file" store "$store" \
            && set_key "$file" store_user $name \
            && set_key "$file" store_password_file "$password" || up=
    done
    [ -z "$opt_domain" ] || set_key "$etc/rbl-checkd.conf" portal_url "$url"
}


do_mail()
{
    if [ -z "$opt_smtp" ]; then
        now=$(value "$etc/rbl-checkd.conf" smtp_url)
        if [ -n "$now" ]; then
            was "mail goes to $now"
        else
            later 'without a mail server nobody gets mails' \
                'rblctl setup --smtp smtp://HOST:25 --from ADDRESS'
        fi
        return
    fi

    file=$etc/rbl-checkd.conf
    set_key "$file" smtp_url "$opt_smtp"
    set_key "$file" smtp_from "$opt_from"
    [ -n "$opt_smtp_user" ] || return 0
    set_key "$file" smtp_user "$opt_smtp_user"
    set_key "$file" smtp_password_file "$etc/smtp.password"
    now=$(head -n 1 "$opt_smtp_password_file" 2>/dev/null)
    if [ -z "$now" ]; then
        [ -s "$etc/smtp.password" ] \
            || lack "$opt_smtp_password_file has no password" \
                "rblctl setup --smtp-password-file FILE"
    elif [ "$now" = "$(head -n 1 "$etc/smtp.password" 2>/dev/null)" ]; then
        was "$etc/smtp.password"
    else
        pending rbl-checkd
        write "$etc/smtp.password" 600 root:root "$now"
        did "write $etc/smtp.password"
    fi
}


# --- what is in the store ----------------------------------------------------

# failed WHAT: rblctl has failed, and its message is in $output
failed()
{
    lack "$1: ${output#rblctl: }" 'rblctl status'
    return 1
}


do_schema()
{
    output=$(ctl init --json 2>&1) || { up=; failed 'no schema'; return; }
    case $output in
    *'"created": true'*) changed; did 'initialise the store' ;;
    *)                   was 'the store is initialised' ;;
    esac
}


do_lists()
{
    output=$(ctl lists load "$share/lists.json" --json 2>&1) \
        || { failed 'no lists'; return; }
    changed
    did "load $share/lists.json: $(echo "$output" \
        | sed -n 's/^ *"active": \([0-9]*\).*/\1/p') active lists"
}


do_daemon()
{
    if ! output=$(rbl-checkd -t -c "$etc/rbl-checkd.conf" 2>&1); then
        lack "$output" "rbl-checkd -t"
        return
    fi
    outdated rbl-checkd "$etc/rbl-checkd.conf"
    outdated rbl-checkd "$etc/store.password"
    works rbl-checkd restart \
        'runuser -u rbl-checkd -- /usr/sbin/rbl-checkd &'
}


do_account()
{
    output=$(ctl account list --json 2>&1) \
        || { up=; failed 'no account'; return; }
    account=$(echo "$output" | with name "$opt_account")
    [ -z "$account" ] || { was "account $opt_account, $account"; return; }

    # Without --account, the account of an earlier setup serves.
    if [ -z "$chosen_account" ]; then
        account=$(echo "$output" | member id \
            | grep -v '^AC0*$')
        case $account in
        *"
"*)         up=
            lack 'there are several accounts' 'rblctl setup --account NAME'
            return ;;
        ?*) was "account $account"
            return ;;
        esac
    fi

    output=$(ctl account add "$opt_account" --paid --json 2>&1) \
        || { up=; failed 'no account'; return; }
    changed
    account=$(echo "$output" | member id)
    did "add the account $opt_account, $account"
}


# The host name of the URL of the API, as netrc files have it.
machine_of()
{
    name=${1#*://}
    name=${name%%/*}
    case $name in
    \[*) name=${name#[}; echo "${name%%]*}" ;;
    *)   echo "${name%:*}" ;;
    esac
}


do_token()
{
    name=$(machine_of "$url")
    if grep -q "^machine $name login $account " "$netrc" 2>/dev/null; then
        was "a token is in $netrc"
        return
    fi

    # The same token for another name of the machine, or from before a restore.
    token=$(cat -- "$netrc" "$netrc.before" 2>/dev/null \
        | sed -n "s/^machine .* login $account password //p" | head -n 1)
    if [ -z "$token" ]; then
        output=$(ctl app list "$account" --json 2>&1) \
            || { failed 'no token'; return; }
        app=$(echo "$output" | with name setup)
        # The token of an earlier setup that was killed is lost.
        if [ -n "$app" ]; then
            output=$(ctl app rotate "$account" "$app" --json 2>&1)
        else
            output=$(ctl app add "$account" setup --json 2>&1)
        fi || { failed 'no token'; return; }
        changed
        token=$(echo "$output" | member token)
    fi
    # On a new machine, the account of the old one comes back with its store.
    if [ -s "$netrc" ] && ! grep -q " login $account " "$netrc"; then
        write "$netrc.before" 600 root:root "$(cat -- "$netrc")"
        did "keep the token of another account in $netrc.before"
    elif grep -qs " login $account " "$netrc.before"; then
        rm -f -- "$netrc.before"
    fi
    write "$netrc" 600 root:root "machine $name login $account password $token"
    did "write $netrc: a token of the API"
}


# person KIND ADDRESS ACCOUNT: a user of the portal; prints the link of one that
# has not signed in yet.  The words of the command differ by KIND.
person()
{
    if ! output=$(ctl "$1" list ${3:+"$3"} --json 2>&1); then
        case $output in
        *'there are no operators'*) ;;
        *) failed "no $1 $2"; return ;;
        esac
    fi
    id=$(echo "$output" | with mail "$2")
    seen=$(echo "$output" | sed -n "/\"id\": \"$id\"/,/}/p" | member seen)
    if [ -n "$id" ] && [ -n "$seen" ]; then
        was "$1 $2; another link: rblctl $1 link${3:+ $3} $id --url $url"
        return
    elif [ -n "$id" ]; then
        output=$(ctl "$1" link ${3:+"$3"} "$id" --url "$url" --json 2>&1)
    else
        output=$(ctl "$1" add ${3:+"$3"} "$2" --role owner --url "$url" \
            --json 2>&1)
    fi || { failed "no $1 $2"; return; }
    changed
    did "make a link for the $1 $2"
    links="$links
  $1 $2
      $(echo "$output" | member link)"
}


do_people()
{
    if [ -z "$opt_owner" ]; then
        later 'nobody can sign in to the portal' \
            'rblctl setup --owner you@example.net'
        return
    fi
    person user "$opt_owner" "$account"
    person operator "${opt_operator:-$opt_owner}" ''
}


# --- nginx -------------------------------------------------------------------

# The file and the key of the certificate of --domain.  1: it cannot be used.
certificate()
{
    live=$root/etc/letsencrypt/live/$opt_domain
    cert=${opt_certificate:-$live/fullchain.pem}
    cert_key=${opt_key:-$live/privkey.pem}
    again="certbot certonly --webroot -w /var/www/html -d $opt_domain \
--deploy-hook 'systemctl reload nginx'"
    [ -z "$opt_certificate" ] \
        || again='rblctl setup --certificate FILE --key FILE'

    command -v openssl >/dev/null || {
        lack 'openssl is missing, which looks at the certificate' \
            'apt-get install openssl'
        return 1
    }
    for file in "$cert" "$cert_key"; do
        [ -r "$file" ] || { lack "there is no $file" "$again"; return 1; }
    done
    openssl x509 -in "$cert" -noout 2>/dev/null \
        || { lack "$cert is not a certificate" "$again"; return 1; }

    if ! openssl x509 -in "$cert" -noout -checkhost "$opt_domain" \
        | grep -q 'does match'; then
        names=$(openssl x509 -in "$cert" -noout -ext subjectAltName \
            2>/dev/null | sed -n 's/^ *DNS:/DNS:/p')
        lack "the certificate $cert is not for $opt_domain but for \
${names:-no name}" "$again"
        return 1
    fi

    begins=$(openssl x509 -in "$cert" -noout -startdate)
    ends=$(openssl x509 -in "$cert" -noout -enddate)
    if [ "$(date -d "${begins#*=}" +%s)" -gt "$(date +%s)" ]; then
        lack "the certificate $cert is not valid before ${begins#*=}, and the \
clock says $(date -u)" 'timedatectl set-ntp true'
        return 1
    elif ! openssl x509 -in "$cert" -noout -checkend 0 >/dev/null; then
        lack "the certificate $cert has expired on ${ends#*=}" "$again"
        return 1
    elif ! openssl x509 -in "$cert" -noout -checkend 604800 >/dev/null; then
        later "the certificate $cert expires on ${ends#*=}" "$again"
    fi

    public=$(openssl pkey -in "$cert_key" -passin pass: -pubout 2>/dev/null)
    if [ "$(openssl x509 -in "$cert" -noout -pubkey)" != "$public" ]; then
        lack "$cert_key is not the key of $cert, or it has a password" "$again"
        return 1
    fi
    was "$cert is valid until ${ends#*=}"
}


# The lines of the site in which installations differ.
site_listen()
{
    if [ -z "$opt_domain" ]; then
        echo "    listen $local:$port;"
        return
    fi
    echo "    listen $port ssl;"
    [ ! -e /proc/net/if_inet6 ] || echo "    listen [::]:$port ssl;"
    cat <<CONF
    ssl_certificate $cert;
    ssl_certificate_key $cert_key;
    ssl_protocols TLSv1.2 TLSv1.3;
CONF
}


site_conf()
{
    listen=$(site_listen) name=${opt_domain:-_} store=$store \
        portal=${opt_domain:+$url} include="include $web/nginx-portal.conf;" \
        etc=$root/etc/nginx awk '
        /# Plain HTTP on the loopback/ { skip = 1 }
        /^ *listen /     { print ENVIRON["listen"]; skip = 0; next }
        skip             { next }
        { gsub("/etc/nginx", ENVIRON["etc"]) }
        /^ *server_name / { sub("_;", ENVIRON["name"] ";") }
        /^ *rbl_store /  {
            sub("rbl_store .*", "rbl_store " ENVIRON["store"] ";")
            if (ENVIRON["portal"] != "")
                print "    rbl_portal_url " ENVIRON["portal"] ";"
        }
        /#include .*nginx-portal.conf;/ {
            sub("#include .*", ENVIRON["include"])
        }
        /allow 127.0.0.1;/ { print; sub("127.0.0.1", "::1") }
        { print }' "$web/nginx-site.conf"
}


nginx_test()
{
    output=$(nginx -t -q ${root:+-c "$root/etc/nginx/nginx.conf"} 2>&1)
}


# 1, and told why, if nginx or its port cannot be used
nginx_fits()
{
    command -v nginx >/dev/null \
        || { lack 'there is no nginx' 'apt-get install nginx'; return 1; }
    snippets=$root/usr/share/nginx/modules-available
    grep -qs ngx_rbl_module "$snippets"/*.conf || {
        lack 'nginx has no module of this service' \
            'apt-get install ./libnginx-mod-rbl_*.deb'
        return 1
    }
    if [ ! -d "$root/etc/nginx/sites-enabled" ] || ! nginx -V 2>&1 \
        | grep -q -- "--modules-path=/usr/lib/nginx/"; then
        lack "this nginx is not Debian's, and the module of the package fits \
only that one" 'command -v nginx; apt-get install nginx'
        return 1
    fi
    grep -qs ngx_rbl_module "$root"/etc/nginx/modules-enabled/*.conf || {
        lack 'nginx does not load the module, which was disabled by hand' \
            'apt-get install --reinstall libnginx-mod-rbl'
        return 1
    }

    holder=$(listener "$port")
    case $holder in
    '' | nginx) ;;
    *)  other=8081
        [ -z "$opt_domain" ] || other=8443
        lack "port $port is taken by $holder" "rblctl setup --port $other"
        return 1 ;;
    esac
}


do_site()
{
    site=$root/etc/nginx/sites-available/rbl
    link=$root/etc/nginx/sites-enabled/rbl
    if [ -z "$show" ]; then
        nginx_fits || return
        if [ -n "$opt_domain" ]; then
            certificate || return
            timeout 10 getent ahosts "$opt_domain" >/dev/null \
                || later "$opt_domain has no address in DNS" \
                    "getent ahosts $opt_domain"
        fi
    fi
    put "$site" 644 root:root nginx "$(site_conf)"
    [ -z "$show$dry" ] || return 0

    if [ -e "$link" ]; then
        was "the site is enabled"
    else
        pending nginx
        run "enable the site" ln -sf ../sites-available/rbl "$link" \
            || { lack "$output"; return; }
    fi

    # A site that nginx refuses would stop all its sites at the next restart.
    if ! nginx_test; then
        refusal=$(echo "$output" | grep -m 1 emerg)
        if is_pending nginx && rm -f "$link" && nginx_test; then
            changed
            lack "nginx refuses the site, which is not enabled therefore: \
$refusal" "ln -s ../sites-available/rbl $link; nginx -t"
        else
            ln -sf ../sites-available/rbl "$link"
            lack "nginx refuses its configuration: $refusal" 'nginx -t'
        fi
        return
    fi
    case $output in
    *conflicting*) later "${output#*: }" 'nginx -T | grep server_name' ;;
    esac
    outdated nginx "$site"
    works nginx reload 'nginx -s reload || nginx'
}


# --- what goes on by itself --------------------------------------------------

do_backup()
{
    case $store in
    unix:* | [!:]*:[0-9]*) ;;
    *)  later "the daily copy is made for one server only, not for $store" \
            'see rbl-availability(7)'
        return ;;
    esac
    if [ -z "$manager" ]; then
        later 'copy the store once a day, by cron' "sh $share/backup.sh"
        return
    fi
    systemctl is-enabled -q rbl-backup.timer \
        || run 'enable rbl-backup.timer' \
            systemctl enable -q --now rbl-backup.timer \
        || { later "rbl-backup.timer cannot be enabled: $output"; return; }
    [ -n "$dry" ] || systemctl is-active -q rbl-backup.timer \
        || run 'start rbl-backup.timer' systemctl start rbl-backup.timer \
        || later "rbl-backup.timer does not start: $output" \
            'journalctl -n 20 -u rbl-backup.timer'
    if [ -z "$up" ]; then
        say 'waits' 'for the store'
    elif ls "$root"/var/backups/rbl/rbl-*.rdb >/dev/null 2>&1; then
        was "copies of the store are in $root/var/backups/rbl"
    else
        run "copy the store to $root/var/backups/rbl" \
            systemctl start rbl-backup.service \
            || later 'the store cannot be copied' \
                'journalctl -n 20 -u rbl-backup'
    fi
}


# request URL OPTION...: the status, as the site has it on this machine
request()
{
    [ -z "$opt_domain" ] \
        || set -- "$@" --resolve "$opt_domain:$port:$local"
    curl -s -o /dev/null -m 10 -w '%{http_code}' --noproxy '*' "$@" 9>&-
}


try_api()
{
    command -v curl >/dev/null || {
        later 'the API was not tried, because curl is missing' \
            'apt-get install curl'
        return
    }
    set -- "$base/3.0/hosts.json" --netrc-file "$netrc"
    tries=0
    until code=$(request "$@"); [ "$code" = 200 ] || [ $tries -ge 10 ]; do
        [ -n "$manager" ] || break
        case $code in 401 | 404) break ;; esac
        tries=$((tries + 1))
        sleep 1
    done
    if [ "$code" = 000 ] && [ "$(request "$@" -k)" = 200 ]; then
        later "this machine does not trust the certificate: is its chain \
complete, and its authority in /usr/local/share/ca-certificates?" \
            "curl -v $base/"
        code=200
        set -- "$@" -k
    fi

    case $code in
    200) was "$base/3.0/ answers, and takes the token" ;;
    000) lack "nothing answers at $base/" \
            "${manager:+systemctl status }nginx" ;;
    401) lack "the token in $netrc is not valid" \
            "rm $netrc; rblctl setup" ;;
    503) lack 'nginx does not reach the store' \
            'tail /var/log/nginx/error.log' ;;
    *)   lack "$base/3.0/ answers $code: does another site of nginx have this \
address?" 'nginx -T | grep -n listen' ;;
    esac
    [ "$code" = 200 ] || return

    shift 3
    code=$(request "$url" "$@")
    if [ "$code" = 200 ]; then
        was "$url answers"
    else
        lack "$url answers $code" "curl -i $url"
    fi
}


try_status()
{
    tries=0
    while output=$(ctl status 2>&1); [ -n "$manager" ] && [ $tries -lt 20 ] \
        && echo "$output" | grep -q -e '^no_daemon: ' -e '^dns_untried: '
    do
        tries=$((tries + 1))
        sleep 1
    done
    verdict=$(echo "$output" | head -n 1)
    case $verdict in
    good*) was 'rblctl status: good'; return ;;
    degraded*) later "rblctl status: $verdict" 'rblctl status' ;;
    *)     lack "rblctl status: ${verdict#rblctl: }" 'rblctl status' ;;
    esac
    echo "$output" | sed -n '2,/^$/s/^..*/              &/p'
}


do_try()
{
    try_api
    try_status
}


# --- the call ----------------------------------------------------------------

options='account owner operator domain certificate key port store smtp from
smtp-user smtp-password-file'

for name in $options; do
    eval "opt_$(echo "$name" | tr - _)="
done
dry=
show=
shown=
given=
up=
manager=

while [ $# -gt 0 ]; do
    case $1 in
    --*=*)
        name=${1%%=*} text=${1#*=}
        shift
        set -- "$name" "$text" "$@"
        continue ;;
    --dry-run)
        dry=1
        shift
        continue ;;
    --*)
        [ $# -ge 2 ] || usage "$1 needs a value" ;;
    *)
        usage "unexpected word \"$1\"" ;;
    esac
    name=${1#--}
    case " $(echo $options) show " in
    *" $name "*) ;;
    *)  usage "unknown option $1" ;;
    esac
    case $2 in
    *[![:print:]]* | *\"* | *\\* | *\'*)
        usage "$1: no quotes, backslashes or control characters" ;;
    esac
    if [ "$name" = show ]; then
        show=$2 dry=1
    else
        eval "opt_$(echo "$name" | tr - _)=\$2"
        given="$given $name "
    fi
    shift 2
done

# The choices of earlier calls.  Another domain has another certificate
# and port.
for name in $options; do
    case $given in
    *" $name "*) continue ;;
    *" domain "*) case $name in certificate | key | port) continue ;; esac ;;
    esac
    saved=$(value "$etc/setup.choices" "$name")
    eval "opt_$(echo "$name" | tr - _)=\$saved"
done

for name in account owner operator domain certificate key port store smtp from
do
    eval "text=\$opt_$name"
    [ -n "$text" ] || continue
    case $name:$text in
    owner:*@*@* | operator:*@*@* | from:*@*@* | *:*' '*@* | *:*@*' '*)
        usage "--$name \"$text\" is not one mail address" ;;
    owner:?*@?* | operator:?*@?* | from:?*@?*) ;;
    owner:* | operator:* | from:*)
        usage "--$name \"$text\" is not a mail address" ;;
    domain:*[!a-z0-9.-]* | domain:[.-]* | domain:*[.-])
        usage "--domain \"$text\" is not a host name in small letters" ;;
    certificate:/* | key:/*) ;;
    certificate:* | key:*)
        usage "--$name \"$text\" is not a path that begins with /" ;;
    port:*[!0-9]* | port:0* | port:??????*)
        usage "--port \"$text\" is not a number from 1 to 65535" ;;
    port:*) [ "$text" -le 65535 ] \
        || usage "--port \"$text\" is not a number from 1 to 65535" ;;
    smtp:*@*)
        usage '--smtp: the user is --smtp-user, the password is in' \
            '--smtp-password-file' ;;
    smtp:smtp://?* | smtp:smtps://?*) ;;
    smtp:*) usage "--smtp \"$text\" is not smtp://HOST or smtps://HOST," \
        'with or without :PORT' ;;
    esac
done

both()
{
    [ -n "$2" ] || [ -z "$4" ] || usage "$3 needs $1"
    [ -n "$4" ] || [ -z "$2" ] || usage "$1 needs $3"
}

both --smtp "$opt_smtp" --from "$opt_from"
both --smtp-user "$opt_smtp_user" --smtp-password-file "$opt_smtp_password_file"
both --certificate "$opt_certificate" --key "$opt_key"
[ -z "$opt_certificate" ] || [ -n "$opt_domain" ] \
    || usage '--certificate needs --domain'
[ -z "$opt_smtp_user" ] || [ -n "$opt_smtp" ] \
    || usage '--smtp-user needs --smtp'

[ "$(id -u)" = 0 ] || [ -n "$root" ] || usage 'run it as root'
[ -d "$etc" ] || usage "there is no $etc: is the package rbl-checkd installed?"

# The loopback address, also of a machine without IPv4.
local=127.0.0.1
grep -qs '127\.0\.0\.1$' /proc/net/fib_trie || local='[::1]'
if [ -n "$opt_domain" ]; then
    port=${opt_port:-443}
    base=https://$opt_domain
    [ "$port" = 443 ] || base=$base:$port
else
    port=${opt_port:-8080}
    base=http://$local:$port
fi
url=$base/portal/
netrc=$etc/api.netrc

chosen_account=$opt_account
opt_account=${opt_account:-$(timeout 5 hostname -d 2>/dev/null)}
case $opt_account in
'' | '(none)' | localdomain) opt_account=Main ;;
esac

if [ -z "$dry" ]; then
    mkdir -p -- "$state" || usage "cannot make $state"
    exec 9>"$state/lock"
    flock -n 9 || usage 'another rblctl setup is running'
fi

while read -r name title <&8; do
    [ -n "$name" ] || continue
    [ -n "$show" ] || printf '%s: %s\n' "$name" "$title"
    case $name in
    schema | lists | daemon | account | token | people | try)
        if [ -n "$dry" ]; then
            did "$title"
            continue
        elif [ -z "$up" ]; then
            say 'waits' 'for the store'
            continue
        fi ;;
    esac
    "do_$name"
done 8<<END
$steps
END

if [ -n "$shown" ]; then
    exit 0
elif [ -n "$show" ]; then
    usage "setup writes no file $show as a whole"
fi
finish
