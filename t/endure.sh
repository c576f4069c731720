#!/bin/sh

# The long tests, in thirteen parts: sh t/endure.sh [PART...]; all without PART.
#
# `make check` leaves out the programs named here.  .ci/run runs one part for
# each landing, so that thirteen landings run all of them.  Each part takes a few
# minutes of two cores; move programs between parts to keep it so.
#
# The last lines have the result and the minutes of each part.

# part N: runs this part
part() {
    case $1 in
    0)  # Masters behind Sentinels are killed, stopped and cut off; a store that
        # is busy or slow for seconds.
        tests t/failover/alive.t t/failover/bed.t t/failover/cut.t \
            t/failover/hostile.t t/failover/pay.t t/failover/register.t \
            t/failover/sentinel.t t/failover/silent.t t/failover/durable.t \
            t/failover/still.t t/failover/events.t \
            t/failover/redundancy.t t/failover/contents.t \
            t/failover/flaps.t \
            t/failover/history.t t/failover/load.t \
            t/checkd/sentinel.t t/ctl/sentinel.t t/ctl/doctor_large.t \
            t/redis/replica.t t/redis/busy.t t/redis/slow.t
        ;;
    1)  # The same for the masters of a cluster, whose slots move, too; what a
        # cluster refuses; stores of earlier versions are upgraded under load;
        # each benchmark runs through, in its short form.
        tests t/failover/cluster.t t/failover/half.t \
            t/failover/hostile_cluster.t t/failover/reload.t \
            t/failover/shape.t t/failover/slots.t t/failover/start.t \
            t/failover/stats.t t/checkd/cluster_failover.t \
            t/ctl/cluster_away.t t/ctl/cluster_moves.t t/upgrade/programs.t \
            t/upgrade/stores.t &&
            tests RBL_REDIS_CLUSTER=1 $(sed '/^#/d' t/cluster) &&
            ${MAKE:-make} smoke
        ;;
    2)  # The commands of rbl-availability(7) on machines in namespaces; the
        # largest requests; journeys through the portal by keyboard alone; each
        # fuzz target for some seconds, since `make check` builds none of those
        # of the module.
        tests t/conf/availability.t t/conf/availability_cluster.t \
            t/api/large.t t/portal/journey_page.t &&
            FUZZ_SECONDS=5 ${MAKE:-make} fuzz
        ;;
    3)  # Hostile accounts beside another one; many clients at once; clients
        # that others wrote; memory after many requests.
        tests JOBS=1 t/neighbours/clients.t t/neighbours/lists.t \
            t/neighbours/oracle.t t/neighbours/receivers.t \
            t/neighbours/refused.t t/neighbours/store.t &&
            tests t/lifecycle/memory.t t/checkd/memory.t \
            t/api/concurrent.t t/ctl/fsck_busy.t t/deliver/openapi.t \
            t/deliver/verify.t t/bill/stripe.t
        ;;
    4)  # Lists that fail in every known way, and random worlds of lists; faults
        # that rblctl doctor names.
        tests t/lab/soak.t t/lab/standing.t t/lab/table.t t/checkd/deaths.t \
            t/checkd/unreachable.t t/checkd/conditions.t \
            t/checkd/list_states.t t/checkd/mirror.t \
            t/checkd/broken_direct.t t/checkd/broken_resolver.t \
            t/checkd/quota.t t/checkd/nat64.t t/checkd/dnsmasq.t \
            t/ctl/doctor_faults.t &&
            SOAK_MINUTES=4 ${MAKE:-make} soak
        ;;
    5)  # Random lives beside models, random and hostile requests; what each
        # script and each call costs.  Nothing runs beside direct_news.t, whose
        # round trips of two seconds may vary by some ms.
        tests RBL_LIVES=16 t/lua/lives.t t/lua/told_truth.t \
            t/lua/delivered_once.t &&
            tests RBL_LIVES=4000 $scripts/histories.t &&
            tests t/lua/ranges.t t/lua/bill_lives.t t/lua/day.t t/lua/find.t \
            t/lua/pending.t t/lua/unreported.t t/api/requests.t \
            t/ctl/strange.t t/checkd/fair_accounts.t t/checkd/small.t t/dns/slow.t \
            t/dns/hostile.t t/dns/many.t t/api/proof.t t/lua/cost.t \
            t/lua/digest_cost.t t/lua/growth.t t/lua/hears.t t/lua/worst.t \
            t/portal/link_times.t &&
            tests t/checkd/direct_news.t
        ;;
    6)  # Programs that are killed at any moment; all faults of a gateway; many
        # contacts with digests; what each script costs the servers of Debian
        # 13.
        tests CRASH_SEEDS=3 t/checkd/crash.t t/bill/crash.t t/deliver/crash.t \
            t/api/work.t t/deliver/digest.t \
            t/deliver/digest_crash.t t/deliver/kills.t t/bill/lapse_kills.t \
            t/bill/stripe_kills.t t/bill/stripe_faults.t \
            t/bill/stripe_declines.t t/bill/stripe_stuck.t &&
            ${MAKE:-make} stores STORES='redis-8.0 valkey-8.1' KINDS=costs
        ;;
    7)  # The commands of rbl-operations(7), and rblctl setup with everything
        # that hinders it, on new machines; all screens of the portal in
        # Chromium, in all themes and widths.
        ${MAKE:-make} deb-check DEB_SUITES=bookworm &&
            tests t/portal/themes.t t/portal/account_page.t \
            t/portal/apps_page.t t/portal/audit_page.t \
            t/portal/billing_live_page.t t/portal/billing_page.t \
            t/portal/topup_page.t \
            t/portal/care_page.t t/portal/contacts_page.t \
            t/portal/doors_page.t t/portal/lapse_page.t \
            t/portal/lists_page.t t/portal/origin_page.t \
            t/portal/passkeys_page.t t/portal/pictures.t t/portal/table_page.t \
            t/portal/trend_page.t t/portal/users_page.t t/portal/webhooks_page.t
        ;;
    8)  ${MAKE:-make} check SUITE=trixie T="$(halves 1)"
        ;;
    9)  ${MAKE:-make} check SUITE=trixie T="$(halves 0)"
        ;;
    10) # The tests of the store with the servers of Debian 13; `make check` and
        # the parts 0, 1 and 5 run them with the one of this release.
        stores redis-8.0
        ;;
    11) stores valkey-8.1
        ;;
    12) # Part 7's machines with Debian 13; the repository of the packages, and
        # their removal.
        ${MAKE:-make} deb-check DEB_SUITES=trixie &&
            ${MAKE:-make} repo-check
        ;;
    *)  echo "endure.sh: no part \"$1\"; there are 0 to 12" >&2
        return 2
        ;;
    esac
}

# Programs of `make check` that run longer here: the Makefile leaves out those
# that have their whole names in this file.
scripts=t/lua

# tests [NAME=VALUE...] PROGRAM...: with these variables in the environment
tests() {
    variables=
    while :; do
        case $1 in
        *=*) variables="$variables $1"; shift ;;
        *)   break ;;
        esac
    done
    env $variables ${MAKE:-make} check T="$*"
}

# stores STORE: all kinds of tests, but the costs, which part 6 measures
stores() {
    ${MAKE:-make} stores STORES="$1" \
        KINDS='scripts store failover cluster upgrade'
}

# Every second program of `make check`, from the first (1) or the second (0).
halves() {
    ${MAKE:-make} -s programs | tr ' ' '\n' \
        | awk -v ORS=' ' -v rest="$1" 'NR % 2 == rest'
}

cd "$(dirname "$0")/.." || exit 1
[ $# -gt 0 ] || set -- 0 1 2 3 4 5 6 7 8 9 10 11 12
report=
bad=0
for n; do
    printf '\nendure %s\n' "$n"
    start=$(date +%s)
    status=0
    part "$n" || status=$?
    took=$(($(date +%s) - start))
    [ $status = 0 ] && result=passed || { result=FAILED; bad=1; }
    report="$report$(printf '\nendure %s: %s, %d min %02d s' "$n" "$result" \
        $((took / 60)) $((took % 60)))"
done
echo "$report"
exit $bad
