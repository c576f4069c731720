-- Pauses or resumes a host; of a range, its children too.  A paused host keeps
-- its state, is not scheduled and does not show in listings.  Doing it twice
-- is no error and has no second effect.
-- KEYS[1] acct:<AC>
-- ARGV    1 host SID  2 status: active, paused
-- Result  OK | HOST
--- include: account
--- include: hosts
local hosts = hosts_with_kids(ARGV[1])
if not hosts then
    return {'HOST'}
end
local now = now_ms()
for _, e in ipairs(hosts) do
    local h = e[2]
    if h[HOST.status] ~= ARGV[2] then
        local sid = h[HOST.id]
        local member = ac .. ':' .. sid
        h[HOST.status] = ARGV[2]
        if ARGV[2] == 'paused' then
            h[HOST.next_check] = 0
            redis.call('ZREM', key('due'), member)
            redis.call('ZREM', key('listed', ac), sid)
        elseif h[HOST.type] ~= 'ip_range' then
            h[HOST.next_check] = now
            redis.call('ZADD', key('due'), now, member)
            if h[HOST.listed_count] > 0 then
                redis.call('ZADD', key('listed', ac), owns('hosts', sid), sid)
            end
        end
        save(e[1], h)
    end
end
return {'OK'}
