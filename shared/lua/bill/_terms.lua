-- What an account chose about its bill.  One that has not chosen renews its
-- plan, and has no source, recharge, alert or top-up.
--- include: account
local terms_key = key('terms', ac)
local terms = load(terms_key) or {1, 1, '', 0, 0, 0}
for i = TERMS.asked, TERMS.wanted do
    terms[i] = terms[i] or i == TERMS.once and '' or 0
end
-- A daemon looks at the bill at once (bill_step.lua), so nginx may save terms.
-- asked (ms): a request to pay at once, by a new attempt of the open payment,
-- or for a plan that has lapsed; each has a time of its own.
local function terms_save(asked)
    if asked then
        terms[TERMS.asked] = math.max(asked, terms[TERMS.asked] + 1)
    end
    save(terms_key, terms)
    call('ZADD', key('billdue'), '0', ac)
end
-- What a recharge is of, in whole cents: at most twice the amount to which the
-- balance is recharged, so that a debt is not paid at once, and at most what
-- Stripe charges.
local recharge_least, recharge_times, cent = 500000, 2, 10000
local charge_most = 999999990000
local function recharge_amount(left, to)
    return math.max(recharge_least, math.min(math.ceil((to - left) / cent)
        * cent, recharge_times * to, charge_most))
end
