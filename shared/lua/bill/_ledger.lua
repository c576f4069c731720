-- The ledger.
--- include: account
-- What was booked by a reference of the gateway, or of the operator's books.
local booked_key = key('booked', ac)
local function booked_as(of, amount)
    return string.format('%.0f %s', amount, of)
end
-- Whether `of` was booked by that reference; else, if something else was, the
-- refusal.
local function booked(reference, of, amount)
    local was = reference ~= '' and call('HGET', booked_key, reference)
    if was and was ~= booked_as(of, amount) then
        return false, {'USED', string.format('%.2f',
            tonumber(was:match('^%d+')) / 1e6)}
    end
    return was
end
-- An entry: `amount` from the account `debit` to `credit` (rbl_keys.h).  `of`
-- is what it is for; it is in the ledger once.
local function ledger_add(of, debit, credit, amount, about, reference)
    local change = credit == 'credit' and amount
        or debit == 'credit' and -amount or 0
    local balance = call('HINCRBY', key('money', ac), 'balance',
        string.format('%.0f', change))
    call('XADD', key('ledger', ac), '*', 'k', of, 'd', debit, 'c', credit, 'a',
        string.format('%.0f', amount), 'r', about, 'x', reference, 'b',
        string.format('%.0f', balance))
    if reference ~= '' then
        call('HSET', booked_key, reference, booked_as(of, amount))
    end
end
