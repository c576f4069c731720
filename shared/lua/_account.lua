-- For scripts whose KEYS[1] is acct:<AC>: the account's SID.
--- include: base
local ac = string.match(KEYS[1], ':acct:(%w+)$')
local function refs_add(field, n)
    if redis.call('HINCRBY', key('refs', ac), field, n) <= 0 then
        redis.call('HDEL', key('refs', ac), field)
    end
end
-- A key is kept for as long as whoever wanted it longest has asked.
local function keep_for(k, ttl)
    if redis.call('PTTL', k) < tonumber(ttl) then
        redis.call('PEXPIRE', k, ttl)
    end
end
local function owns(index, sid)
    return redis.call('ZSCORE', key(index, ac), sid)
end
