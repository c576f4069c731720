-- Pauses or resumes a host; of a range, its children too, which is work.  A
-- paused host keeps its state, is not scheduled and does not show in listings.
-- Doing it twice is no error and has no second effect.
--- key: acct  acct:<AC>
--- arg: host  SID
--- arg: status  active, paused
--- audit: host
--- reply: OK
--- reply: WORK id#  of the work
--- reply: HOST
--- reply: LAPSED  the plan of the account has expired: none is resumed
--- reply: BUSY
--- include: hosts
--- include: unchanged
--- include: host_change
--- include: totals
--- use: account
local k, h, order = host_of(ARG.host)
if not h then
    return {'HOST'}
end
local a = ARG.status == 'active' and load(KEY.acct)
if a and (a[ACCOUNT.lapsed] or 0) > 0 then
    return {'LAPSED'}
end
named = h[HOST.value]
if h[HOST.type] == 'ip_range' then
    --- include: work
    if work_busy() then
        return {'BUSY'}
    end
    return {'WORK', work_add('host_status', {ARG.host, ARG.status})}
end
hosts_change()
totals_add(TOTALS.listed, host_turned(k, h, ARG.status, now_ms(), order))
return {'OK'}
