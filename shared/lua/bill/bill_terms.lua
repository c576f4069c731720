-- Changes what an account chose about its bill.  It writes no bill and no
-- money: nginx may run it.
--- key: acct  acct:<AC>
--- arg: renew  whether the plan renews itself: 0, 1; "": as it was, like all
--          others
--- arg: source  SID of the payment source that is charged, or ""
--- arg: falls  recharge when the balance falls below (micro-USD)
--- arg: to  recharge to (micro-USD); 0: never
--- arg: alert  tell when the balance falls below (micro-USD); 0: never
--- audit
--- reply: OK
--- reply: BILL  it has no bill
--- reply: SOURCE  it has no such source
--- reply: RECHARGE  `to` is not above `falls`
--- include: ask
local b = load(key('bill', ac))
if not b then
    return {'BILL'}
end
named = b[BILL.plan]
local before = cmsgpack.pack(terms)
local renewed, chosen = terms[TERMS.renew], terms[TERMS.source]
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
-- Another source is a new attempt, and so is a renewal that is turned on.
local p = b[BILL.open] ~= '' and load(key('pay', ac, b[BILL.open]))
if terms[TERMS.renew] > renewed or p and terms[TERMS.source] ~= chosen
    and terms[TERMS.source] ~= p[PAYMENT.source]
then
    ask(now_ms())
else
    save(terms_key, terms)
    call('ZADD', key('billdue'), '0', ac)
end
return {'OK'}
