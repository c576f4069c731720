-- Takes consumers out of a group that have nothing pending and were not seen
-- for a while: daemons of earlier runs.
-- KEYS[1] the stream
-- ARGV    1 group  2 idle for at least (ms)
-- Result  OK, number taken out
--- include: base
if call('EXISTS', KEYS[1]) == 0 then
    return {'OK', 0}
end
local n = 0
for _, info in ipairs(call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
    local c = {}
    for i = 1, #info, 2 do
        c[info[i]] = info[i + 1]
    end
    if c.pending == 0 and c.idle >= tonumber(ARGV[2]) then
        call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], c.name)
        n = n + 1
    end
end
return {'OK', n}
