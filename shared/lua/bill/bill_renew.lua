-- Whether the plan of an account renews itself.
--- key: acct  acct:<AC>
--- arg: renew  0, 1
--- audit
--- reply: OK
--- reply: BILL  it has no bill
--- include: bill
local b = load(bill_key)
if not b then
    return {'BILL'}
end
named = b[BILL.plan]
if b[BILL.renew] == tonumber(ARG.renew) then
    by = nil
    return {'OK'}
end
b[BILL.renew] = tonumber(ARG.renew)
bill_save(b)
return {'OK'}
