-- Pauses or resumes a host; of a range, its children too.  A paused host keeps
-- its state, is not scheduled and does not show in listings.  Doing it twice
-- is no error and has no second effect.
-- KEYS[1] acct:<AC>
-- ARGV    1 host SID  2 status: active, paused
-- Result  OK | HOST
--- include: account
--- include: hosts
--- include: unchanged
--- include: due
--- include: totals
local hosts = hosts_with_kids(ARGV[1])
if not hosts then
    return {'HOST'}
end
local now, listed = now_ms(), 0
hosts_change()
for _, e in ipairs(hosts) do
    local h = e[2]
    if h[HOST.status] ~= ARGV[2] then
        local sid = h[HOST.id]
        local member = ac .. ':' .. sid
        -- A check that was begun keeps its lease, and ends.
        local begun = call('HEXISTS', key('flight:due'), member) == 1
        h[HOST.status] = ARGV[2]
        if ARGV[2] == 'paused' then
            h[HOST.next_check] = 0
            if not begun then
                due_never(sid)
            end
            listed = listed - call('ZREM', key('listed', ac), sid)
        elseif h[HOST.type] ~= 'ip_range' then
            h[HOST.next_check] = now
            if not begun and call('HEXISTS', key('flight'), member) == 0 then
                due_at(sid, now)
            end
            if h[HOST.listed_count] > 0 then
                listed = listed + call('ZADD', key('listed', ac),
                    owns('hosts', sid), sid)
            end
        end
        save(e[1], h)
    end
end
totals_add(TOTALS.listed, listed)
return {'OK'}
