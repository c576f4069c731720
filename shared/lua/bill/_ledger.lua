-- The ledger.
--- include: account
-- An entry: `amount` from the account `debit` to `credit` (rbl_keys.h).  `of`
-- is what it is for; it is in the ledger once.
local function ledger_add(of, debit, credit, amount, reference)
    local change = credit == 'credit' and amount
        or debit == 'credit' and -amount or 0
    local balance = call('HINCRBY', key('money', ac), 'balance',
        string.format('%.0f', change))
    call('XADD', key('ledger', ac), '*', 'k', of, 'd', debit, 'c', credit, 'a',
        string.format('%.0f', amount), 'r', reference, 'b',
        string.format('%.0f', balance))
end
