-- Shows what an account pays for, and how.
--- key: acct  acct:<AC>
--- reply: OK bill terms balance# used# payment setup sources[]  records: the
---          payment that is open, the source that is being added ("": none),
---          and at most 20 sources
---   lapsed# checked#  since when the plan has been expired (ms; 0: it is not),
---          and how many hosts are checked though it is
--- reply: ACCOUNT  there is none
--- reply: BILL  it has no bill
--- include: terms
local raw, a = call('GET', key('bill', ac)), load(KEY.acct)
if not a then
    return {'ACCOUNT'}
elseif not raw then
    return {'BILL'}
end
--- include: sources
local open = cmsgpack.unpack(raw)[BILL.open]
local money = call('HMGET', key('money', ac), 'balance', 'used')
local lapsed = a[ACCOUNT.lapsed] or 0
return {'OK', raw, cmsgpack.pack(terms), tonumber(money[1] or 0),
    tonumber(money[2] or 0),
    open ~= '' and call('GET', key('pay', ac, open)) or '',
    call('GET', key('setup', ac)) or '', sources, lapsed,
    lapsed > 0 and call('ZCOUNT', key('hosts', ac), '-inf', a[ACCOUNT.kept])
        or 0}
