-- Payment sources: cards.  The store has the last four digits and the date of
-- expiry; only the gateway has the number.
--- include: terms
--- include: period
local function source_key(ps)
    return key('source', ac, ps)
end
-- The one that is charged: of those that move real money, or play money
-- (`live`), the account's choice, or else the last that was added.
local function source_chosen(live)
    local all = call('ZRANGE', key('sources', ac), 0, -1)
    table.insert(all, terms[TERMS.source])
    for i = #all, 1, -1 do
        local s = all[i] ~= '' and load(source_key(all[i]))
        if s and s[SOURCE.live] == live then
            return s
        end
    end
end
-- When the month is over (ms) in which it expires.
local function source_ends(s)
    return days_of(s[SOURCE.year], s[SOURCE.month] + 1) * day_ms
end
-- The days of the next alert, and its time (ms); nil: none follows.
local function source_alert(s)
    local days = s[SOURCE.told] == 0 and 30 or 7
    if s[SOURCE.told] ~= 7 then
        return days, source_ends(s) - days * day_ms
    end
end
