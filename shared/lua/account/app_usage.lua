-- Adds to the statistics of applications, hours for 31 days and days for 13
-- months; once, however often the call is sent.
--- key: sender  stats:from:<sender> (of the partition)
--- arg: call  its number
--- arg: account app hour requests errors...  hour: since 1970
--- reply: OK damaged#  how many sums could not be kept: their keys are damaged
--- reply: AGAIN
--- include: base
--- include: once
if not once(ARG.call) then
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
for i = 1, (#ARGV - ARG.before) / ARG.each do
    local at = ARG.each * i
    local ac, ap = ARGV[ARG.account + at], ARGV[ARG.app + at]
    local hour = tonumber(ARGV[ARG.hour + at])
    local requests = tonumber(ARGV[ARG.requests + at])
    local errors = tonumber(ARGV[ARG.errors + at])
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
