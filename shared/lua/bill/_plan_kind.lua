-- Steps of bill_plan: the account pays by the check from now on, or no longer.
--- takes: ac b now
--- sets: p
local p = b[BILL.open] ~= '' and load(payment_key(b[BILL.open]))
if p and p[PAYMENT.state] ~= 'open' and p[PAYMENT.state] ~= 'failed' then
    return {'BUSY', p[PAYMENT.state]}
elseif p then
    payment_void(b, p, 'plan changed', now)
end
credit_book(money_read(), now)
call('DEL', key('meter', ac))
