-- A daemon that starts ends the leases that its own name still has.  It goes in
-- slices through claimed manual checks and through hosts whose checks were
-- started.  (A claimed host whose check was not started is due again when its
-- lease ends.)
--- key: leases
--- arg: daemon  its name
--- arg: rank  in the leases to begin with; -1: all were looked at
--- arg: cursor  in flight:due to begin with; -1: likewise
--- reply: OK rank# cursor#  to go on with (-1: likewise)
local slice = 250
local now = now_ms()
local name, rank, cursor = ARG.daemon, tonumber(ARG.rank), ARG.cursor
if rank >= 0 then
    local handles = call('ZRANGE', KEY.leases, rank, rank + slice - 1)
    for _, handle in ipairs(handles) do
        if string.match(handle, '^%w+:%w+:%w*:m:%d+:(.*)$') == name then
            call('ZADD', KEY.leases, 'LT', now, handle)
        end
    end
    rank = #handles == slice and rank + slice or -1
end
if cursor ~= '-1' then
    local page = call('HSCAN', key('flight:due'), cursor, 'COUNT', slice)
    for i = 1, #page[2], 2 do
        local ac, ht = string.match(page[2][i], '^(%w+):(%w+)$')
        local till, who = string.match(page[2][i + 1]:sub(70), '^(%d+):(.*)$')
        -- Unless another daemon has claimed it since.
        local ok, has = true, false
        if ac and who == name then
            ok, has = pcall(call, 'ZSCORE', key('due', ac), ht)
        end
        if ok and has == till then
            call('ZADD', key('due', ac), now, ht)
            call('ZADD', key('due'), 'LT', now, ac)
        end
    end
    cursor = page[1] ~= '0' and page[1] or -1
end
call('ZREMRANGEBYSCORE', key('daemons'), '-inf', now - 86400000)
return {'OK', rank, tonumber(cursor)}
