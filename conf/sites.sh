#!/bin/sh
# Takes the sites that use ngx_rbl out of nginx, or puts them back.
# usage: sites.sh remove | restore
#
# nginx refuses its whole configuration if one file has a directive or a
# variable of a module that is not loaded.  So the package of the module calls
# this before its module goes, and again if the module comes back.
#
# Files move from sites-enabled and conf.d to the same directory with the suffix
# .rbl-removed, which nginx does not read.  A link moves, and its target stays.
# Nothing moves if nginx accepts its configuration without the module.  nginx
# itself is not reloaded here: Debian's package of nginx does that when modules
# have changed, and it keeps its configuration if the new one is refused.
#
# For tests, RBL_SITES_ROOT is a directory in front of all places.
set -u

root=${RBL_SITES_ROOT:-}
etc=$root/etc/nginx
suffix=.rbl-removed
PATH=$PATH:/usr/sbin
nginx=$(command -v nginx || :)


# lines FILE: without comments
lines()
{
    sed -E 's/(^|[[:space:]])#.*//' "$1" 2>/dev/null
}


# uses FILE DEPTH: the file has directives or variables of the module, or files
# of its package, or includes a file that does
uses()
{
    if lines "$1" | grep -qE \
        '(^|[;{}])[[:space:]]*rbl_[a-z_]+[[:space:]]|\$\{?rbl_|/share/ngx_rbl/'
    then
        return 0
    fi
    [ "$2" -gt 0 ] || return 1
    # Each name is a pattern, as in the shell, relative to the main
    # configuration.
    while read -r name; do
        case $name in
        '') continue ;;
        /*) name=$root$name ;;
        *)  name=$etc/$name ;;
        esac
        for included in $name; do
            [ -f "$included" ] || continue
            (uses "$included" $(($2 - 1))) && return 0
        done
    done <<NAMES
$(lines "$1" | grep -oE '(^|[;{}])[[:space:]]*include[[:space:]][^;]*' \
    | sed -E "s/.*include[[:space:]]+//; s/['\"]//g")
NAMES
    return 1
}


# move FILE DIRECTORY: 1 if there is such a file already
move()
{
    mkdir -p -- "$2"
    [ ! -e "$2/${1##*/}" ] && [ ! -L "$2/${1##*/}" ] && mv -- "$1" "$2/"
}


# 1: `refusal` is what nginx says
accepted()
{
    refusal=$(nginx -t -q ${root:+-c "$etc/nginx.conf"} 2>&1) && return 0
    refusal=$(echo "$refusal" | grep -m 1 emerg || echo "$refusal")
    return 1
}


remove()
{
    [ -n "$nginx" ] && accepted && return 0
    for file in "$etc"/sites-enabled/* "$etc"/conf.d/*.conf; do
        [ -f "$file" ] && uses "$file" 8 || continue
        where=${file%/*}$suffix
        if ! move "$file" "$where"; then
            # Left by an earlier removal; the file in force is the newer one.
            rm -f -- "$where/${file##*/}"
            move "$file" "$where" || continue
        fi
        echo "nginx: $file needs the module ngx_rbl and is now in $where"
    done

    if [ -n "$nginx" ] && ! accepted; then
        echo "nginx refuses its configuration: $refusal"
        echo 'nginx runs, but would not start again. Mend this file; then:'
        echo '  nginx -t && systemctl reload nginx'
    fi
}


restore()
{
    for where in "$etc/sites-enabled$suffix" "$etc/conf.d$suffix"; do
        for file in "$where"/*; do
            [ -e "$file" ] || [ -L "$file" ] || continue
            to=${where%"$suffix"}
            if ! move "$file" "$to"; then
                echo "nginx: $file stays there, since there is a new one in $to"
                continue
            fi
            if [ -z "$nginx" ] || accepted; then
                echo "nginx: $to/${file##*/} is enabled again"
            else
                mv -- "$to/${file##*/}" "$where/"
                echo "nginx: $file stays there: $refusal"
            fi
        done
        rmdir -- "$where" 2>/dev/null
    done
    return 0
}


case ${1:-} in
remove | restore) "$1" ;;
*)  echo 'usage: sites.sh remove | restore' >&2; exit 2 ;;
esac
