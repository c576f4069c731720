-- For scripts that change an account's record, or a token of it.
--- include: account
--- include: totals
-- What nginx remembers of the account and its tokens holds as long as `made` of
-- the totals is the same: so that changes, and first, before one of them does.
-- The totals stay, for reads of hosts need them.
local function totals_renew()
    local k = key('totals', ac)
    local raw = redis.pcall('GET', k)
    if not raw then
        return
    end
    local ok, t = pcall(cmsgpack.unpack, raw)
    if not ok or type(t) ~= 'table' or t[1] ~= 1
        or type(t[TOTALS.made]) ~= 'number'
    then
        call('DEL', k)
        return
    end
    t[TOTALS.made] = math.max(t[TOTALS.made] + 1, totals_stamp())
    save(k, t)
end
local function account_save(a)
    totals_renew()
    save(KEYS[1], a)
end
