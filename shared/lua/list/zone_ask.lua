-- What has been found of a list's zone by whatever daemon.  If it told lies, a
-- resolver may keep them for their TTL from when it was first seen in order
-- through that one; if it has not been since, from now on.
--
-- A cache may hold news.  Checks therefore see news again through the same
-- resolver, after one or more waits.  seen:<list>:<host> holds what they saw
-- ("is") and, for each resolver, the number of the present wait, the start of
-- the first one and the end of the present one (ms).  After the last wait the
-- news counts for every later check too: a frozen list, or a daemon that takes
-- a check over, asks again.
-- KEYS[1] zone:<zone>  2 seen:<list>:<host>, or nothing
-- ARGV    1 the family  2 the resolver  3 ms since who asks has seen it in
--         order through that
--         with KEYS[2]: 4 the response, "listed" or "clear"  5 its age (ms)
--         6 waits that began more ms ago than this begin again; "": none  7 and
--         following: the waits (ms)
-- Result  OK, ms for which the resolver may still keep lies of it, 1 if it was
--         seen to have its test entry of that family (0: not), labels of its
--         SOA's owner (0: not known), ms until the news counts (0: it does)
--- include: zone
local AGAIN = 600000                -- ms that a wait is kept after its end
local function keep(ms)
    if redis.call('PTTL', KEYS[2]) < ms then
        redis.call('PEXPIRE', KEYS[2], digits(ms))
    end
end
-- Number, start and end of the present wait of this resolver; number 0: there
-- is none.
local function waited(waits)
    local seen = redis.call('HMGET', KEYS[2], 'is', ARGV[2])
    local n, began, ends = string.match(seen[1] == ARGV[4] and seen[2] or '',
        '^(%d+) (%d+) (%d+)$')
    n, began, ends = num(n), num(began), num(ends)
    local oldest = ARGV[6] ~= '' and now - num(ARGV[6]) or 0
    local good = n >= 1 and n <= waits and began >= oldest and began <= now
        and ends <= now + WEEK
    return good and n or 0, began, ends, seen[1]
end
local function counts_in()
    if not KEYS[2] then
        return 0
    end
    local waits = #ARGV - 6
    local n, began, ends, was = waited(waits)
    if n > 0 and now - num(ARGV[5]) < ends then
        return math.max(ends - now, 1)
    elseif n == waits then
        keep(AGAIN)
        return 0
    elseif n == 0 and was ~= ARGV[4] then
        redis.call('DEL', KEYS[2])
    end
    local wait = math.min(num(ARGV[7 + n]), WEEK)
    redis.call('HSET', KEYS[2], 'is', ARGV[4], ARGV[2], digits(n + 1) .. ' '
        .. digits(n == 0 and now or began) .. ' ' .. digits(now + wait))
    keep(wait + AGAIN)
    return wait
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
