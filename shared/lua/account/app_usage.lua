-- Adds to the statistics of applications, hours for 31 days and days for 13
-- months; once, however often the call is sent.
-- KEYS[1] stats:from:<sender> (of the partition)
-- ARGV    1 number of the call, then for each application and hour: account
--         SID, application SID, hour (since 1970), requests, refusals
-- Result  OK, how many sums could not be kept: their keys are damaged | AGAIN
--- include: base
--- include: once
if not once(ARGV[1]) then
    return {'AGAIN'}
end
local day_ms = 86400000
local damaged = 0
local function add(k, field, n, days)
    local sum = redis.pcall('HINCRBY', k, field, n)
    if type(sum) ~= 'number' then
        damaged = damaged + 1
    elseif sum == n then
        call('PEXPIRE', k, days * day_ms)
    end
end
for i = 2, #ARGV - 4, 5 do
    local ac, ap, hour = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2])
    local requests, errors = tonumber(ARGV[i + 3]), tonumber(ARGV[i + 4])
    local day = math.floor(hour / 24)
    local hours = key('stats', ac, ap, 'h' .. day)
    local days = key('stats', ac, ap, 'd' .. math.floor(day / 32))
    add(hours, hour % 24, requests, 33)
    add(days, day, requests, 440)
    if errors > 0 then
        add(hours, hour % 24 .. 'e', errors, 33)
        add(days, day .. 'e', errors, 440)
    end
end
return {'OK', damaged}
