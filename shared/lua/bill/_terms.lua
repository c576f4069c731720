-- What an account chose about its bill.  One that has not chosen renews its
-- plan, and has no source, recharge or alert.
--- include: account
local terms_key = key('terms', ac)
local terms = load(terms_key) or {1, 1, '', 0, 0, 0}
