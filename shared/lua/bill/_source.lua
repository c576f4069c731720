-- Payment sources: cards.  The store has the last four digits and the date of
-- expiry; only the gateway has the number.
--- include: terms
--- include: period
local function source_key(ps)
    return key('source', ac, ps)
end
-- The card that a server of the operator has charged last.
local server_source = 'PS' .. redis.sha1hex(ac .. ':http'):sub(1, 32)
local gone = key('setup', ac, 'gone')
-- The one that is charged: of those that move real money, or play money
-- (`live`), the account's choice, or else the last that was added.  What the
-- account has removed (bill_source_gone.lua) is not.
local function source_chosen(live)
    local all = call('ZRANGE', key('sources', ac), 0, -1)
    table.insert(all, terms[TERMS.source])
    for i = #all, 1, -1 do
        local s = all[i] ~= '' and load(source_key(all[i]))
        if s and s[SOURCE.live] == live and not call('ZSCORE', gone, all[i])
        then
            return s
        end
    end
end
-- When the month is over (ms) in which it expires.
local function source_ends(s)
    return days_of(s[SOURCE.year], s[SOURCE.month] + 1) * day_ms
end
-- When the gateway is to be asked for it next (ms): for the alerts, and after
-- its end, since its bank may have renewed it; nil: not at all.
local function source_look(s)
    local days = ({[0] = 30, [30] = 7, [7] = 0})[s[SOURCE.told]]
    return days and source_ends(s) - days * day_ms
end
