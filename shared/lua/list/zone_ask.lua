-- Evidence that any daemon has found about the zone of a list.  If the list was
-- wildcarding, a resolver may cache those responses for their TTL, counted from
-- when the list was first seen in order through that resolver, or from now on.
--
-- A cache may hold news.  Checks therefore see news again through the same
-- resolver, after one or more waits.  seen:<list>:<host> holds what they saw
-- ("is") and, for each resolver, the number of the present wait, the start of
-- the first one and the end of the present one (ms).  After the last wait the
-- news counts for every later check too: a frozen list, or a daemon that takes
-- a check over, asks again.
--- key: zone  zone:<zone>
--- key: seen  seen:<list>:<host>
--- arg: family
--- arg: resolver
--- arg: order  ms since who asks has seen it in order through that
--- arg: response  "listed" or "clear"; "": the news are of no concern, nor are
--          the arguments that follow
--- arg: age  of the response (ms)
--- arg: since  waits that began more ms ago than this begin again; "": none
--- arg: waits...  ms
--- reply: OK left# entry# soa# wait#
-- left: ms for which the resolver may still keep lies of it.  entry: 1 if it
-- was seen to have its test entry of that family (0: not).  soa: labels of its
-- SOA's owner (0: not known).  wait: ms until the news counts (0: it does).
--- include: zone
local AGAIN = 600000                -- ms that a wait is kept after its end
local function keep(ms)
    if redis.call('PTTL', KEY.seen) < ms then
        redis.call('PEXPIRE', KEY.seen, digits(ms))
    end
end
-- Number, start and end of the present wait of this resolver; number 0: there
-- is none.
local function waited(waits)
    local seen = redis.call('HMGET', KEY.seen, 'is', ARG.resolver)
    local n, began, ends = string.match(seen[1] == ARG.response and seen[2]
        or '', '^(%d+) (%d+) (%d+)$')
    n, began, ends = num(n), num(began), num(ends)
    local oldest = ARG.since ~= '' and now - num(ARG.since) or 0
    local good = n >= 1 and n <= waits and began >= oldest and began <= now
        and ends <= now + WEEK
    return good and n or 0, began, ends, seen[1]
end
local function counts_in()
    if ARG.response == '' then
        return 0
    end
    local waits = #ARGV - ARG.waits + 1
    local n, began, ends, was = waited(waits)
    if n > 0 and now - num(ARG.age) < ends then
        return math.max(ends - now, 1)
    elseif n == waits then
        keep(AGAIN)
        return 0
    elseif n == 0 and was ~= ARG.response then
        redis.call('DEL', KEY.seen)
    end
    local wait = math.min(num(ARGV[ARG.waits + n]), WEEK)
    redis.call('HSET', KEY.seen, 'is', ARG.response, ARG.resolver,
        digits(n + 1) .. ' ' .. digits(n == 0 and now or began)
        .. ' ' .. digits(now + wait))
    keep(wait + AGAIN)
    return wait
end
local family = ARG.family
local ttl, seen = lied(family)
local left = 0
if ttl > 0 then
    local field = 'good ' .. family .. ' ' .. ARG.resolver
    local good = math.min(num(get(field)), now)
    if good <= seen then
        good = now - num(ARG.order)
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
