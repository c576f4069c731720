-- Grants queries to a list: how many, and when they may be sent.  A grant
-- counts at once and is never taken back.  Grants follow each other: each one
-- reserves the time that its queries take at the rate of the list, behind all
-- earlier grants, and its queries are sent one by one from the beginning of
-- that time.  So idle time earns nothing, and no T seconds see more than T
-- times the rate and one batch.
--- key: list  list:<RB>
--- arg: want  how many; 0: only looks
--- arg: rate  a second
--- arg: quota  of a day (UTC); 0: none
--- arg: patience  how far away the beginning may be (ms)
--- reply: OK n# wait# life# left# refused#  n: queries.  wait: ms until the
--          first one.  life: ms from then on in which they may be sent.  left:
--          the rest of the quota (-1: none).  refused: how often the list has
--          refused in a row; above 0 an answer must be reported (list_told)
--- reply: USED wait#  the quota is used up: ms to the next day
--- reply: LATE wait#  the beginning is so far away (ms): nothing is granted
--- reply: BLOCKED wait# refused#  the list has refused so often, and is not
--          queried for so long (ms)
--- include: list
local DAY = 86400000
local LIFE, LIFE_DAY, FAR = 500, 2000, 60000
local h = call('HMGET', KEY.list, 'till', 'turn', 'day', 'used',
    'refused')
local left_alone = backs_off(h[1])
if left_alone > 0 then
    return {'BLOCKED', left_alone, num(h[5])}
end
local want, rate, quota = num(ARG.want), num(ARG.rate), num(ARG.quota)
local patience = math.min(num(ARG.patience), FAR)
local today = math.floor(now / DAY)
local ends = (today + 1) * DAY - now
local used = num(h[3]) == today and num(h[4]) or 0
local left = quota > 0 and math.max(0, quota - used) or -1
if left == 0 then
    return {'USED', ends}
end
if want == 0 then
    return {'OK', 0, 0, 0, left, num(h[5])}
end
local n, wait, life = want, 0, LIFE_DAY
if quota > 0 then
    n = math.min(n, math.max(1, math.floor(left / 50)))
end
if rate > 0 then
    -- A beginning further away than is possible: the clock was set back.
    local turn = num(h[2])
    if turn < now_us or turn > now_us + (FAR + 1000) * 1000 then
        turn = now_us
    end
    n = math.min(n, math.max(1, math.floor(rate * LIFE / 1000)))
    wait = math.ceil((turn - now_us) / 1000)
    life = math.max(LIFE, math.ceil(1000 / rate))
    if wait > patience or (quota > 0 and wait >= ends) then
        return {'LATE', wait}
    end
    call('HSET', KEY.list, 'turn', digits(turn + n * 1000000 / rate))
end
if quota > 0 then
    life = math.min(life, ends - wait)
    left = left - n
    call('HSET', KEY.list, 'day', digits(today), 'used', digits(used + n))
end
return {'OK', n, wait, life, left, num(h[5])}
