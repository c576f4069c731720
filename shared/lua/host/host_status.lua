-- Pauses or resumes a host; of a range, its children too, which is work.  A
-- paused host keeps its state, is not scheduled and does not show in listings.
-- Doing it twice is no error and has no second effect.
-- KEYS[1] acct:<AC>
-- ARGV    1 host SID  2 status: active, paused
-- Result  OK | WORK, id of the work | HOST | BUSY
--- include: hosts
--- include: unchanged
--- include: host_change
--- include: totals
local k, h = host_of(ARGV[1])
if not h then
    return {'HOST'}
end
if h[HOST.type] == 'ip_range' then
    if work_busy() then
        return {'BUSY'}
    end
    return {'WORK', work_add('host_status', {ARGV[1], ARGV[2]})}
end
hosts_change()
totals_add(TOTALS.listed, host_turned(k, h, ARGV[2], now_ms()))
return {'OK'}
