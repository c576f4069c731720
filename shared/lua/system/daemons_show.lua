-- Reads the daemons that have claimed checks in a partition, and counts by name
-- the checks of a slice of those in flight.
--- key: lists  of the partition that is meant
--- arg: rank  in the leases to begin with
--- arg: cursor  in flight:due to begin with; here and above -1: all were
--          counted
--- reply: OK rank# cursor  to go on with (-1: likewise), then for each daemon:
--          name, ms since it asked, jobs of this slice
local slice = 500
local has = {}
local function count(name)
    name = name or ''
    has[name] = (has[name] or 0) + 1
end
local rank, cursor = tonumber(ARG.rank), ARG.cursor
if rank >= 0 then
    local handles = call('ZRANGE', key('leases'), rank, rank + slice - 1)
    for _, handle in ipairs(handles) do
        count(string.match(handle, '^%w+:%w+:%w*:m:%d+:(.*)$'))
    end
    rank = #handles == slice and rank + slice or -1
end
if cursor ~= '-1' then
    local page = call('HSCAN', key('flight:due'), cursor, 'COUNT', slice)
    for i = 2, #page[2], 2 do
        count(string.match(page[2][i]:sub(70), '^%d+:(.*)$'))
    end
    cursor = page[1] ~= '0' and page[1] or '-1'
end
local now = now_ms()
local seen = call('ZRANGE', key('daemons'), 0, -1, 'WITHSCORES')
local out = {'OK', rank, cursor}
for i = 1, #seen, 2 do
    out[#out + 1] = seen[i]
    out[#out + 1] = math.max(0, now - seen[i + 1])
    out[#out + 1] = has[seen[i]] or 0
end
return out
