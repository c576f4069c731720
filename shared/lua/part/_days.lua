-- The days of an account (rbl_keys.h: today, days).  They begin at 0:00 UTC: no
-- script knows the time zone of an account.  A day ends when something changes
-- on a later one, with the states and counters as they are before that change;
-- nothing is written for days on which nothing changed.
--- include: state
local day_ms, days_most, days_octets = 86400000, 400, 4480
local function day_number(n)
    local s = ''
    while n > 127 do
        s = s .. string.char(n % 128 + 128)
        n = math.floor(n / 128)
    end
    return s .. string.char(n)
end
-- Without its first entry, and how many days later the next one is.
local function days_cut(days)
    local _, to = string.find(days, '^'
        .. string.rep('[\128-\255]*[%z\1-\127]', 6))
    local rest = days:sub((to or #days) + 1)
    local gap, worth = 0, 1
    for c in string.gmatch(rest, '.') do
        gap = gap + c:byte() % 128 * worth
        worth = worth * 128
        if c:byte() < 128 then
            break
        end
    end
    return rest, gap
end
-- How many hosts are unknown; or that would be if no list answered.
local function hosts_unknown(silent)
    local from = silent and state_paused or state_unknown
    local n = call('ZCOUNT', key('states', ac), state_score(from, 0),
        silent and '+inf' or '(' .. state_score(from + 1, 0))
    return silent and math.max(0, call('ZCARD', key('hosts', ac))
        - call('ZCARD', key('listed', ac)) - n) or n
end
-- The day of the last answer of a list; 0: none is known.
local function day_answered()
    local last = call('GET', key('checked', ac)) or ''
    return math.floor((tonumber(last:sub(1, 13)) or 0) / day_ms)
end
-- Ends the day of the record `d`.
local function day_end(d, silent)
    local weights = call('HMGET', key('refs', ac), 'w1', 'w2', 'w3', 'w4')
    for i = 1, 4 do
        d[TODAY.info_was + i - 1] = math.max(0, tonumber(weights[i] or nil)
            or 0)
    end
    local date, k = d[TODAY.date], key('days', ac)
    local days, first = call('GET', k) or '', d[TODAY.first]
    first = days ~= '' and first or date
    days = days .. day_number(math.max(0, date - d[TODAY.last]) % 2 ^ 14)
        .. day_number(call('ZCARD', key('listed', ac)))
        .. day_number(d[TODAY.critical_was])
        .. day_number(hosts_unknown(silent))
        .. day_number(d[TODAY.begun]) .. day_number(d[TODAY.ended])
    while #days > days_octets or date - first >= days_most do
        local gap
        days, gap = days_cut(days)
        first = days ~= '' and first + gap or date
    end
    call('SET', k, days)
    d[TODAY.first], d[TODAY.last] = first, date
end
-- Listings began and ended; or, with 0 and 0, a state is about to change.
local function days_turn(now, begun, ended)
    local date, k = math.floor(now / day_ms), key('today', ac)
    local d = load(k)
    -- When the day is over, a daemon notes which lists list how many hosts
    -- (account_settle.lua).
    if not d or d[TODAY.date] < date then
        redis.pcall('ZADD', key('settle'), 'LT', tostring((date + 1) * day_ms),
            ac)
    end
    if not d then
        d = {1, date, 0, 0, 0, 0, 0, 0, 0, 0, date}
    elseif d[TODAY.date] < date then
        day_end(d)
        d[TODAY.begun], d[TODAY.ended] = 0, 0
        -- On whole days without an answer nothing was known.
        local answered = day_answered()
        local silent = math.max(answered, d[TODAY.date]) + 1
        if answered > 0 and silent < date then
            d[TODAY.date] = silent
            day_end(d, true)
        end
        d[TODAY.date] = date
    elseif begun + ended == 0 then
        return
    end
    d[TODAY.begun] = d[TODAY.begun] + begun
    d[TODAY.ended] = d[TODAY.ended] + ended
    save(k, d)
end
