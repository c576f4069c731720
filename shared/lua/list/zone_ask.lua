-- Evidence that any daemon has found about the zone of a list.  If the list was
-- wildcarding, a resolver may cache those responses for their TTL, counted from
-- when the list was first seen in order through that resolver, or from now on.
--
-- A cache may hold news.  Checks therefore see news again after one or more
-- waits, either through any resolver or through the same one.
-- seen:<list>:<host> holds what they saw ("is") and, for all resolvers ("any")
-- or for one, the number of the present wait, the start of the first one, and
-- the start ("any") or end of the present one (ms).  After the last wait the
-- news counts for every later check too: a frozen list, or a daemon that takes
-- a check over, asks again.
--
-- Through any resolver, each check gives the time for which its cache may keep
-- older data.  For the test point this is the largest TTL that any daemon has
-- reported in the last two days, counted from when a daemon first looked at the
-- test point through that resolver (gate_resolver.c has the proof).
--- key: zone  zone:<zone>
--- key: seen  seen:<list>:<host>
--- arg: family
--- arg: resolver
--- arg: order  ms since the caller first saw the list in order through this
--          resolver
--- arg: response  "listed" or "clear"; "": no news are meant, and `age`,
--          `since`, `any` and `waits` have no meaning
--- arg: age  of the response (ms)
--- arg: since  waits that began longer ago (ms) begin again; "": none
--- arg: ttl  (ms) of its positive test point through this resolver; "": unknown
--- arg: any  1: waits go on through any resolver, the first one for the test
--          point; 0: through the same one
--- arg: waits...  ms
--- reply: OK left# entry# soa# wait#
-- left: ms for which the resolver may still cache wildcard responses of the
-- list.  entry: 1 if the list was seen to have its test entry of this family,
-- or 0.  soa: labels of the owner of its SOA record (0: not known).  wait: ms
-- until the news counts (0: it counts).
--- include: zone
local AGAIN = 600000                -- ms that a wait is kept after its end
local SLACK = 2000
local family = ARG.family
local function keep(ms)
    if call('PTTL', KEY.seen) < ms then
        call('PEXPIRE', KEY.seen, digits(ms))
    end
end
local function pair(field)
    local a, b = string.match(get(field) or '', '^(%d+) (%d+)$')
    return num(a), math.min(num(b), now)
end
local function report(field, value)
    set(field, digits(value) .. ' ' .. digits(now))
    call('PEXPIRE', KEY.zone, digits(KEEP))
end
-- most: the largest TTL of the test point (ms), for two days after its last
-- report.  watched: since when daemons have queried through this resolver
-- without a break of 36 hours.  Each daemon reports once a day.
local most, watched = 0, now
if ARG.ttl ~= '' then
    local field, ttl, at = 'ttl ' .. family, math.min(num(ARG.ttl), WEEK)
    most, at = pair(field)
    if at <= now - 48 * HOUR or ttl > most
        or (ttl == most and at <= now - HOUR)
    then
        most = ttl
        report(field, most)
    end
    most = math.min(most, WEEK)
    field = 'watched ' .. family .. ' ' .. ARG.resolver
    watched, at = pair(field)
    watched = at > now - 36 * HOUR and math.min(watched, now) or now
    if at <= now - HOUR then
        report(field, watched)
    end
end
local field = ARG.any == '1' and 'any' or ARG.resolver
-- Number, start and end of the present wait; number 0: there is none.
local function waited(waits)
    local seen = call('HMGET', KEY.seen, 'is', field)
    local n, began, ends = string.match(seen[1] == ARG.response and seen[2]
        or '', '^(%d+) (%d+) (%d+)$')
    n, began, ends = num(n), num(began), num(ends)
    local oldest = ARG.since ~= '' and now - num(ARG.since) or 0
    local good = n >= 1 and n <= waits and began >= oldest and began <= now
        and ends <= now + WEEK
    return good and n or 0, began, ends, seen[1]
end
local function length(n)
    local ms = math.min(num(ARGV[ARG.waits + n - 1]), WEEK)
    return field == 'any' and n == 1 and math.max(ms, most + SLACK) or ms
end
local function counts_in()
    if ARG.response == '' then
        return 0
    end
    local waits = #ARGV - ARG.waits + 1
    local n, began, ends, was = waited(waits)
    if n > 0 and field == 'any' then
        ends = (n == 1 and math.max(ends, watched) or ends) + length(n)
    end
    if n > 0 and now - num(ARG.age) < ends then
        keep(ends - now + AGAIN)
        return math.max(ends - now, 1)
    elseif n == waits then
        keep(AGAIN)
        return 0
    elseif n == 0 and was ~= ARG.response then
        call('DEL', KEY.seen)
    end
    local wait = length(n + 1)
    call('HSET', KEY.seen, 'is', ARG.response, field, digits(n + 1) .. ' '
        .. digits(n == 0 and now or began) .. ' '
        .. digits(field == 'any' and now or now + wait))
    keep(wait + AGAIN)
    return wait
end
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
    left = good + ttl + SLACK - now
end
return {'OK', math.max(left, 0), lately('entry ' .. family),
    lately('soa ' .. family), counts_in()}
