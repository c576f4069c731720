-- Shows what an account pays for, and how.
--- key: acct  acct:<AC>
--- reply: OK bill terms balance# used# payment setup sources[]  records: the
---          payment that is open, the source that is being added ("": none),
---          and at most 20 sources
--- reply: BILL  it has no bill
--- include: terms
--- use: bill
local most = 20
local raw = call('GET', key('bill', ac))
if not raw then
    return {'BILL'}
end
local open, sources = cmsgpack.unpack(raw)[BILL.open], {}
for _, sid in ipairs(call('ZRANGE', key('sources', ac), 0, most - 1)) do
    if not call('ZSCORE', key('setup', ac, 'gone'), sid) then
        sources[#sources + 1] = call('GET', key('source', ac, sid)) or nil
    end
end
local money = call('HMGET', key('money', ac), 'balance', 'used')
return {'OK', raw, cmsgpack.pack(terms), tonumber(money[1] or 0),
    tonumber(money[2] or 0),
    open ~= '' and call('GET', key('pay', ac, open)) or '',
    call('GET', key('setup', ac)) or '', sources}
