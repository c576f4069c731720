-- Counts what may be done `most` times within an hour, and returns nil.  If it
-- was done so often, it counts nothing, and returns the seconds until it may be
-- done again.  The key has "<n> <ms>", how often and since when, and ends with
-- the hour.
local function hourly(k, most, now)
    local hour = 3600000
    local n, since = string.match(call('GET', k) or '', '^(%d+) (%d+)$')
    n, since = tonumber(n) or 0, tonumber(since) or now
    if since > now or now - since >= hour then
        n, since = 0, now
    end
    if n >= most then
        return math.ceil((since + hour - now) / 1000)
    end
    call('SET', k, string.format('%.0f %.0f', n + 1, since), 'PX',
        string.format('%.0f', since + hour - now))
end
