-- The daemons that have asked a partition for jobs, and what they have.
-- KEYS[1] lists (of the partition that is meant)
-- Result  OK, then for each: name, ms since it asked, jobs
--- include: base
local has = {}
for _, handle in ipairs(call('ZRANGE', key('leases'), 0, -1)) do
    local name = string.match(handle, '^%w+:%w+:%w*:m:%d+:(.*)$') or ''
    has[name] = (has[name] or 0) + 1
end
for _, begun in ipairs(call('HVALS', key('flight:due'))) do
    local name = string.match(begun:sub(70), '^%d+:(.*)$') or ''
    has[name] = (has[name] or 0) + 1
end
local now = now_ms()
local seen = call('ZRANGE', key('daemons'), 0, -1, 'WITHSCORES')
local out = {'OK'}
for i = 1, #seen, 2 do
    out[#out + 1] = seen[i]
    out[#out + 1] = math.max(0, now - seen[i + 1])
    out[#out + 1] = has[seen[i]] or 0
end
return out
