-- For scripts that change an account's record, or a token of it.
--- include: account
--- include: totals
-- What nginx remembers of the account and its tokens holds as long as `made` of
-- the totals is the same: so that changes, and first, before one of them does.
-- The totals stay, for reads of hosts need them.
local function totals_renew()
    totals_change(TOTALS.made)
end
local function account_save(a)
    totals_renew()
    save(KEYS[1], a)
end
