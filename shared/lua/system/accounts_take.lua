-- Claims accounts that are due, and postpones them, so that only one caller at
-- a time gets each account.
--- key: times  a sorted set of accounts, of the partition that is meant
--- arg: most  how many accounts at most
--- arg: clock  of the caller (ms), or "": the clock does not matter
--- reply: OK  then the SIDs of the accounts
--- reply: APART  the clocks differ
--- include: apart
local now = now_ms()
local wait = 10000
if clocks_apart(ARG.clock, now) then
    return {'APART'}
end
local late = call('ZRANGEBYSCORE', KEY.times, '-inf', now, 'LIMIT', '0',
    ARG.most)
local later = {}
for i, ac in ipairs(late) do
    later[2 * i - 1] = tostring(now + wait)
    later[2 * i] = ac
end
if later[1] then
    call('ZADD', KEY.times, unpack(later))
end
return {'OK', unpack(late)}
