-- Changes what an account chose about its bill.  It writes no bill and no
-- money: nginx may run it.
--- key: acct  acct:<AC>
--- arg: renew  whether the plan renews itself: 0, 1; "": as it was, like all
--          others
--- arg: source  SID of the payment source that is charged, or ""
--- arg: falls  recharge when the balance falls below (micro-USD)
--- arg: to  recharge to (micro-USD); 0: never
--- arg: alert  tell when the balance falls below (micro-USD); 0: never
--- arg: now  1: also if that opens a recharge at once; or ""
--- audit
--- reply: OK
--- reply: BILL  it has no bill
--- reply: SOURCE  it has no such source
--- reply: RECHARGE  `to` is not above `falls`
--- reply: NOW balance amount  a recharge of that amount would be opened at once
--          (USD)
--- include: terms
local b = load(key('bill', ac))
if not b then
    return {'BILL'}
end
named = b[BILL.plan]
local before = cmsgpack.pack(terms)
local renewed, chosen = terms[TERMS.renew], terms[TERMS.source]
local falls_before, to_before = terms[TERMS.falls_below],
    terms[TERMS.recharge_to]
local function choose(field, value)
    if value ~= '' then
        terms[field] = tonumber(value)
    end
end
choose(TERMS.renew, ARG.renew)
choose(TERMS.falls_below, ARG.falls)
choose(TERMS.recharge_to, ARG.to)
choose(TERMS.alert, ARG.alert)
if ARG.source ~= '' then
    if not owns('sources', ARG.source) then
        return {'SOURCE'}
    end
    terms[TERMS.source] = ARG.source
end
if terms[TERMS.recharge_to] > 0
    and terms[TERMS.recharge_to] <= terms[TERMS.falls_below]
then
    return {'RECHARGE'}
end
if cmsgpack.pack(terms) == before then
    by = nil
    return {'OK'}
end
-- A typing error would charge at once.
local m = call('HMGET', key('money', ac), 'balance', 'used')
local left = (m[1] or 0) - (m[2] or 0)
local falls, to = terms[TERMS.falls_below], terms[TERMS.recharge_to]
if (falls ~= falls_before or to ~= to_before) and ARG.now ~= '1'
    and b[BILL.period] == 'check' and to > 0 and left < falls
then
    return {'NOW', string.format('%.2f', math.floor(left / cent) / 100),
        string.format('%.2f', recharge_amount(left, to) / 1e6)}
end
-- Another source is a new attempt, and so is a renewal that is turned on.
local p = b[BILL.open] ~= '' and load(key('pay', ac, b[BILL.open]))
local retry = terms[TERMS.renew] > renewed
    or p and terms[TERMS.source] ~= chosen
    and terms[TERMS.source] ~= p[PAYMENT.source]
terms_save(retry and now_ms())
return {'OK'}
