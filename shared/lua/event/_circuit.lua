-- Circuits and budgets of receivers that fail, in hook:<AC>:<id>.  The id is a
-- webhook receiver's SID; or it is made of the host of a URL, which the
-- callbacks of an account and its contacts at a URL have in common.  Under
-- "all" the attempts of the account that failed in ten seconds are counted, to
-- whomever: above a limit its deliveries wait for the next ten.
local failed_most, failed_span = 500, 10000
local function host_circuit(url)
    local host = string.match(url or '', '^%w+://([^/?# ]+)')
    return host and 'CB' .. redis.sha1hex(host:lower()):sub(1, 32)
end
-- Is the value of such a contact a URL at any host?  A service that many
-- customers use has no circuit: one of its channels may fail alone.
local function contact_has_circuit(type)
    return type == 'endpoint'
end
local function account_failed(ac)
    local k = key('hook', ac, 'all')
    if call('HINCRBY', k, 'fails', 1) == 1 then
        call('PEXPIRE', k, failed_span)
    end
end
-- Until when nothing is tried for the account (ms), or 0.
local function account_until(ac, now)
    local k = key('hook', ac, 'all')
    local n = tonumber(call('HGET', k, 'fails')) or 0
    return n >= failed_most and now + math.max(call('PTTL', k), 0) or 0
end
