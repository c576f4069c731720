-- A request to pay at once: for a new attempt of the open payment, or to pay
-- for a plan that has lapsed.  The daemon follows it (bill_step.lua), so nginx
-- may make it.  Each request has a time of its own.
--- include: terms
local function ask(now)
    terms[TERMS.asked] = math.max(now, (terms[TERMS.asked] or 0) + 1)
    save(terms_key, terms)
    call('ZADD', key('billdue'), '0', ac)
end
