-- Circuits and budgets of receivers that fail, in hook:<AC>:<id>.  The id is
-- the SID of a webhook receiver.  Callbacks and contacts at a URL share the
-- circuit of its host, whose id is made of the host.  The id "all" counts the
-- failed attempts of the account in ten seconds, to all receivers; above a
-- limit the deliveries of the account wait for the next ten seconds.
local failed_most, failed_span = 500, 10000
local function host_circuit(url)
    local host = string.match(url or '', '^%w+://([^/?# ]+)')
    return host and 'CB' .. redis.sha1hex(host:lower()):sub(1, 32)
end
-- Does a contact of this type have a circuit?  Its value is then a URL at any
-- host.  A service with many customers has none: one of its channels may fail
-- alone.
local function contact_has_circuit(type)
    return type == 'endpoint'
end
local function account_failed(ac)
    local k = key('hook', ac, 'all')
    if call('HINCRBY', k, 'fails', 1) == 1 then
        call('PEXPIRE', k, failed_span)
    end
end
-- When deliveries of the account may be tried again (ms); 0: now.
local function account_until(ac, now)
    local k = key('hook', ac, 'all')
    local n = tonumber(call('HGET', k, 'fails')) or 0
    return n >= failed_most and now + math.max(call('PTTL', k), 0) or 0
end
