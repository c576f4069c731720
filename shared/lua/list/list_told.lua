-- Reports that a list has refused to answer, or answers again.  No daemon
-- queries a list that refuses: for 300 s at first, twice as long each time, up
-- to an hour.  An answer ends this back-off.  Responses to queries that were in
-- flight when the back-off began do not count; refusals during the back-off do
-- not prolong it.
--- key: list  list:<RB>
--- arg: refused  1, 0
--- reply: OK wait# refused# begins#  ms for which it is left alone, how often
--          it has refused in a row, 1 if that has begun just now
--- include: list
local FIRST, UNDER_WAY = 300000, 10000
local h = call('HMGET', KEY.list, 'till', 'since', 'refused')
local left, since, times = backs_off(h[1]), num(h[2]), num(h[3])
if ARG.refused ~= '1' then
    if left > 0 and since <= now and since > now - UNDER_WAY then
        return {'OK', left, times, 0}
    end
    call('HDEL', KEY.list, 'till', 'since', 'refused')
    return {'OK', 0, 0, 0}
end
if left > 0 then
    return {'OK', left, times, 0}
end
times = times + 1
left = math.min(FIRST * 2 ^ math.min(times - 1, 10), HOUR)
call('HSET', KEY.list, 'till', digits(now + left), 'since', digits(now),
    'refused', digits(times))
return {'OK', left, times, 1}
