-- A plan expires for good, its grace included, or is paid again.  The account's
-- record says so at once, and every reader goes by it.  The schedule and the
-- records of the hosts follow as work in slices (_work_lapse.lua).
--- include: account_save
--- include: work
--- include: unchanged
--- include: bill_event
local function lapse_set(a, since, kept, kind)
    a[ACCOUNT.lapsed], a[ACCOUNT.kept], a[ACCOUNT.settled] = since, kept, 0
    hosts_change()
    account_save(a)
    work_add(kind, {since})
end
-- The account follows its bill.  most: so many hosts are still checked when it
-- has lapsed, the first by order of creation; -1: all that there are.
local function lapse_follow(a, b, lapsed, most, now)
    local of = string.format('%s:%.0f', ac, now)
    if lapsed == ((a[ACCOUNT.lapsed] or 0) > 0) then
        return
    elseif not lapsed then
        lapse_set(a, 0, 0, 'host_go')
        return bill_event(a, b, 'active', of, now)
    end
    local hosts, at, last = key('hosts', ac), most > 0 and most - 1 or -1, {}
    if most ~= 0 then
        last = call('ZRANGE', hosts, at, at, 'WITHSCORES')
        last = last[2] and last or call('ZRANGE', hosts, -1, -1, 'WITHSCORES')
    end
    lapse_set(a, now, tonumber(last[2]) or 0, 'host_stop')
    bill_event(a, b, 'expired', of, now, {total = most})
end
