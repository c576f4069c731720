-- What has been found of a list's zone by whatever daemon.  If it told lies, a
-- resolver may keep them for their TTL from when it was first seen in order
-- through that one; if it has not been since, from now on.
--
-- A new listing that a cache may hold is seen twice through the same resolver:
-- seen:<list>:<host> holds, for each, the time (ms) from which on it counts.
-- Once it counts it is kept for a minute more, for a daemon that takes the
-- check over.
-- KEYS[1] zone:<zone>  2 seen:<list>:<host>, or nothing
-- ARGV    1 the family  2 the resolver  3 ms since who asks has seen it in
--         order through that  4 with KEYS[2]: ms for which a cache may hold the
--         listing
-- Result  OK, ms for which the resolver may still keep lies of it, 1 if it was
--         seen to have its test entry of that family (0: not), labels of its
--         SOA's owner (0: not known), ms until the listing counts (0: it does)
--- include: zone
local AGAIN, DONE = 600000, 60000   -- ms: kept after the wait, and after that
local function counts_in()
    if not KEYS[2] then
        return 0
    end
    local wait = math.min(num(ARGV[4]), WEEK)
    local from = num(redis.call('HGET', KEYS[2], ARGV[2]))
    if from == 0 or from > now + WEEK then
        redis.call('HSET', KEYS[2], ARGV[2], digits(now + wait))
        redis.call('PEXPIRE', KEYS[2], digits(wait + AGAIN))
        return wait
    end
    if from <= now then
        redis.call('PEXPIRE', KEYS[2], DONE)
    end
    return math.max(from - now, 0)
end
local family = ARGV[1]
local ttl, seen = lied(family)
local left = 0
if ttl > 0 then
    local field = 'good ' .. family .. ' ' .. ARGV[2]
    local good = math.min(num(get(field)), now)
    if good <= seen then
        good = now - num(ARGV[3])
        if good > seen then
            set(field, digits(good))
        else
            good = now
        end
    end
    left = good + ttl + 2000 - now
end
return {'OK', math.max(left, 0), lately('entry ' .. family),
    lately('soa ' .. family), counts_in()}
