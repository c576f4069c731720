-- A card as the gateway has it now: before its end contacts are told unless it
-- was renewed.
--- key: acct  acct:<AC>
--- arg: source  SID
--- arg: gone  1: the gateway has forgotten it; "": it has not, and tells it:
--- arg: brand
--- arg: last4
--- arg: month  when it expires; 0: the card is as it was
--- arg: year
--- reply: OK told  days of the alert that was sent; 0: none
--- include: source
--- include: bill_event
local a, b, now = load(KEY.acct), load(bill_key), now_ms()
local s = load(source_key(ARG.source))
if ARG.gone == '1' then
    call('DEL', source_key(ARG.source))
    call('ZREM', key('sources', ac), ARG.source)
    call('ZREM', gone, ARG.source)
    return {'OK', '0'}
end
if not a or not b or not s then
    return {'OK', '0'}
end
local month, year = tonumber(ARG.month), tonumber(ARG.year)
if month == 0 then
    month, year = s[SOURCE.month], s[SOURCE.year]
else
    s[SOURCE.brand], s[SOURCE.last4] = ARG.brand, ARG.last4
end
if month ~= s[SOURCE.month] or year ~= s[SOURCE.year] then
    s[SOURCE.told] = 0
end
s[SOURCE.month], s[SOURCE.year] = month, year
local days, told = nil, 0
if now >= source_ends(s) then
    s[SOURCE.told] = -1
elseif now >= source_ends(s) - 7 * day_ms then
    days = 7
elseif now >= source_ends(s) - 30 * day_ms then
    days = 30
end
if days and (s[SOURCE.told] == 0 or days < s[SOURCE.told]) then
    s[SOURCE.told], told = days, days
    save(source_key(ARG.source), s)
    bill_event(a, b, 'expiring.card.alert', string.format('%s:%d:%d:%d',
        ARG.source, year, month, days), now, {days = days, source = ARG.source})
end
save(source_key(ARG.source), s)
return {'OK', tostring(told)}
