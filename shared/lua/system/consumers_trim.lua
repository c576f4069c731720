-- Removes consumers from a group that have nothing pending and were not seen
-- for a while: daemons of earlier runs.
--- key: stream
--- arg: group
--- arg: idle  for at least (ms)
--- reply: OK n#  taken out
if call('EXISTS', KEY.stream) == 0 then
    return {'OK', 0}
end
local n = 0
for _, info in ipairs(call('XINFO', 'CONSUMERS', KEY.stream, ARG.group)) do
    local c = {}
    for i = 1, #info, 2 do
        c[info[i]] = info[i + 1]
    end
    if c.pending == 0 and c.idle >= tonumber(ARG.idle) then
        call('XGROUP', 'DELCONSUMER', KEY.stream, ARG.group, c.name)
        n = n + 1
    end
end
return {'OK', n}
