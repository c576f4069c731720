-- For scripts whose KEYS[1] is acct:<AC>: the account's SID.
--- include: base
local ac = KEYS[1]:sub(-34)
local function owns(index, sid)
    return call('ZSCORE', key(index, ac), sid)
end
-- What nginx remembers of the account and its tokens ends with its totals: so
-- these go, and first, before one of them changes.
local function totals_forget()
    call('DEL', key('totals', ac))
end
local function account_save(a)
    totals_forget()
    save(KEYS[1], a)
end
