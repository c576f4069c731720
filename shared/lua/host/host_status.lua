-- Pauses or resumes a host; for a range also its children, which is work.  A
-- paused host keeps its state, is not scheduled, and is in no list of listings.
-- A second call is no error and has no effect.
--- key: acct  acct:<AC>
--- arg: host  SID
--- arg: status  active, paused
--- audit: host
--- reply: OK
--- reply: WORK id#  of the work
--- reply: HOST
--- reply: LAPSED  the plan of the account has expired: none is resumed
--- reply: BUSY
--- include: host_of
--- include: unchanged
--- include: host_turned
--- include: totals
local a = ARG.status == 'active' and load(KEY.acct)
if a and (a[ACCOUNT.lapsed] or 0) > 0 then
    return {'LAPSED'}
end
if h[HOST.type] == 'ip_range' then
    --- include: work
    return work_accept('host_status', {ARG.host, ARG.status})
end
hosts_change()
totals_add(TOTALS.listed, host_turned(k, h, ARG.status, now_ms(), order))
refs_write()
return {'OK'}
