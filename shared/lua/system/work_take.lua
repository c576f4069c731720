-- Returns accounts whose work has made no progress for a while, and puts them
-- off, so that one caller at a time gets each.
--- key: works  of the partition that is meant
--- arg: most  how many accounts at most
--- reply: OK  then the SIDs of the accounts
--- include: base
local now = now_ms()
local wait = 10000
local late = call('ZRANGEBYSCORE', KEY.works, '-inf', now, 'LIMIT', '0',
    ARG.most)
local later = {}
for i, ac in ipairs(late) do
    later[2 * i - 1] = tostring(now + wait)
    later[2 * i] = ac
end
if later[1] then
    call('ZADD', KEY.works, unpack(later))
end
return {'OK', unpack(late)}
