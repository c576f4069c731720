-- Adds to the statistics of applications, hours for 31 days and days for 13
-- months, and to their error logs, which keep the last 1,000 refusals.
--- key: acct  acct:<AC> of one of them; all are of its partition
--- arg: values...  of each: account, app, hour since 1970, requests, errors,
--          number of refusals, and the refusals, packed, the oldest first
--- reply: OK damaged#  how many sums and logs could not be kept: their keys
--          are damaged
local day_ms = 86400000
local changed, damaged = false, 0
-- The reply of a command, if it is a number.  A damaged key affects only
-- itself.  If the store takes no changes, the first command fails, and the
-- script ends with its error.
local function number(reply)
    if type(reply) == 'number' then
        changed = true
        return reply
    end
    local why = reply.err
    if not changed and not why:find('^WRONGTYPE')
        and not why:find('not an integer') and not why:find('overflow')
    then
        error(reply)
    end
    damaged = damaged + 1
end
local function add(k, field, n, days)
    if number(redis.pcall('HINCRBY', k, field, n)) == n then
        redis.pcall('PEXPIRE', k, days * day_ms)
    end
end
local at = ARG.values
while at <= #ARGV do
    local ac, ap, hour = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
    local requests, errors = tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4])
    local refusals = tonumber(ARGV[at + 5])
    local day = math.floor(hour / 24)
    local hours = key('stats', ac, ap, 'h' .. day)
    local days = key('stats', ac, ap, 'd' .. math.floor(day / 32))
    add(hours, hour % 24, requests, 33)
    add(days, day, requests, 440)
    if errors > 0 then
        add(hours, hour % 24 .. 'e', errors, 33)
        add(days, day .. 'e', errors, 440)
    end
    at = at + 6 + refusals
    if refusals > 0 then
        local k = key('errors', ac, ap)
        if number(redis.pcall('LPUSH', k,
            unpack(ARGV, at - refusals, at - 1)))
        then
            redis.pcall('LTRIM', k, 0, 999)
            redis.pcall('PEXPIRE', k, 440 * day_ms)
        end
    end
end
return {'OK', damaged}
