-- How often something was done within an hour, and since when; the key has "<n>
-- <ms>" and ends with the hour.
--- include: base
local hour = 3600000
local function hourly(k, now)
    local n, since = string.match(call('GET', k) or '', '^(%d+) (%d+)$')
    n, since = tonumber(n) or 0, tonumber(since) or now
    if since > now or now - since >= hour then
        n, since = 0, now
    end
    return n, since
end
local function hourly_add(k, n, since, now)
    call('SET', k, string.format('%.0f %.0f', n + 1, since), 'PX',
        string.format('%.0f', since + hour - now))
end
