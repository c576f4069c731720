-- A daemon that starts ends the leases that its own name still holds: nobody
-- else works on them.  Goes through the leases in slices.
-- KEYS[1] leases
-- ARGV    1 the daemon's name  2 rank to begin with
-- Result  OK, rank to go on with (-1: all were looked at)
--- include: base
local slice = 1000
local from = tonumber(ARGV[2])
local handles = call('ZRANGE', KEYS[1], from, from + slice - 1)
for _, handle in ipairs(handles) do
    if string.match(handle, '^%w+:%w+:%w*:[md]:%d+:(.*)$') == ARGV[1] then
        call('ZADD', KEYS[1], 0, handle)
    end
end
call('ZREMRANGEBYSCORE', key('daemons'), '-inf', now_ms() - 86400000)
return {'OK', #handles == slice and from + slice or -1}
