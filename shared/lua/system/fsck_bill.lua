-- Compares the ledger of an account with its payments, refunds, references and
-- bill.  Nothing is repaired: what is right about money is in the operator's
-- books.  A ledger that was rewritten as a whole is not found: only a copy
-- elsewhere shows that.
-- An entry is judged beside the one before it and its payment.  What takes more
-- than these is a sum over all, a count (_fsck_walk.lua) by the name of the
-- fault: its rule, its text, a tab, and its place.  It is a fault if the sum is
-- above the rule, 0 or 1, or by the rule "=" if it is not 0 (fsck_count.c).
--- key: acct  acct:<AC>
--- arg: mend  not used
--- arg: what  "ledger" at first; "money": ends the sums
--- arg: cursor  _fsck_walk.lua
--- arg: entries...
--- reply: OK  then faults (_fsck.lua) and counts
--- reply: MORE rest[]  then likewise
--- include: fsck_walk
local day_ms = 86400000
local amount_most = 1e15                -- RBL_MONEY_MAX
-- How the key of a movement begins, by the accounts from which and to which the
-- money goes.
local moves = {
    ['cash>revenue'] = '',              -- a period is paid
    ['cash>credit'] = '',               -- paid in advance
    ['credit>revenue'] = 'use:',        -- by checks
    ['revenue>credit'] = 'rest:',       -- of a period
    ['revenue>cash'] = 'rf:',           -- refunds of both
    ['credit>cash'] = 'rf:',
    ['adjust>credit'] = '', ['credit>adjust'] = '',
}
local marks = {['use:'] = true, ['rest:'] = true, ['rf:'] = true}
local function sum(rule, where, text, n)
    local name = rule .. text .. '\t' .. where
    counts[name] = (counts[name] or 0) + n
end
local function wrong(where, text)
    fault('ledger', where, text, nil)
end
local function fields_of(entry)
    local e = {}
    for i = 1, entry and #entry[2] or 0, 2 do
        e[entry[2][i]] = entry[2][i + 1]
    end
    return e
end
local function of_plan(p)
    return p[PAYMENT.kind] == 'renewal' or p[PAYMENT.kind] == 'upgrade'
end
-- Cash that has come for a payment, or that went back.
local function look_at_cash(e, amount, head)
    local py = e.r or ''
    local p, why = read(key('pay', ac, py), 'PAYMENT')
    local back = head == 'rf:'
    if why == 'missing' then
        wrong(py, back and 'is refunded, and there is no such payment'
            or 'is in the ledger, and there is no such payment')
    elseif p and back then
        sum('=', py, 'has other refunds than the ledger', amount)
    elseif p and p[PAYMENT.state] ~= 'succeeded' then
        wrong(py, 'is in the ledger and has not succeeded')
    elseif p and (p[PAYMENT.key] ~= e.k or p[PAYMENT.amount] ~= amount
        or of_plan(p) ~= (e.c == 'revenue'))
    then
        wrong(py, 'is in the ledger as another payment')
    end
    if p and not back then
        sum(0, py, 'has succeeded and is not in the ledger', -1)
    end
end
local other_rest = 'has another rest of its period than the ledger'
local look = {}
-- entry: the ids of the movement before it, and its own.
function look.ledger(entry)
    local before, id = string.match(entry, '^(%S+) (%S+)$')
    local found = call('XRANGE', key('ledger', ac), before, id)
    local e = fields_of(found[#found])
    if #found == 0 or found[#found][1] ~= id then
        return
    end
    local amount = string.match(e.a or '', '^[1-9]%d*$')
        and tonumber(e.a) or amount_most + 1
    local head = moves[(e.d or '') .. '>' .. (e.c or '')]
    local mark = string.match(e.k or '', '^%l+:') or ''
    if amount > amount_most or not head or (e.k or '') == ''
        or string.find(e.k, '%c') or (marks[mark] and mark or '') ~= head
    then
        return wrong(id, 'is no movement of money')
    end
    local change = e.c == 'credit' and amount or e.d == 'credit' and -amount
        or 0
    local was = fields_of(found[#found - 1]).b
    if e.b ~= string.format('%.0f', (tonumber(was) or 0) + change) then
        wrong(id, 'has another balance than the entries up to it')
    end
    sum(1, e.k, 'is in the ledger twice', 1)
    sum('=', 'money', 'is not the sum of the ledger', change)
    if e.d == 'cash' or e.c == 'cash' then
        look_at_cash(e, amount, head)
    elseif head == 'rest:' then
        sum('=', string.sub(e.k, 6), other_rest, amount)
    end
    if (e.x or '') ~= '' then
        sum(0, 'booked ' .. e.x, 'is no reference of the ledger', -1)
        if call('HEXISTS', key('booked', ac), e.x) == 0 then
            wrong('booked', 'lacks a reference of the ledger')
        end
    end
end
function look.booked(reference)
    sum(0, 'booked ' .. reference, 'is no reference of the ledger', 1)
end
local bill = read(key('bill', ac), 'BILL')
local paid = bill and bill[BILL.begins] < bill[BILL.ends]
local bill_text = 'is paid until another time than its payments'
-- Until when a payment has paid: a period is a month or a year.
local function look_at_period(py, p)
    local begins, ends = p[PAYMENT.begins], p[PAYMENT.ends]
    local days = (ends - begins) / day_ms
    if p[PAYMENT.kind] == 'renewal' and (days < 28 or days > 366) then
        wrong(py, 'pays for a time that is no month and no year')
    end
    if paid and begins == bill[BILL.begins] and ends ~= bill[BILL.ends] then
        wrong('bill', bill_text)
    end
    sum(0, 'bill', bill_text, paid and ends >= bill[BILL.ends] and -1 or 0)
end
function look.payments(py)
    local p, why = read(key('pay', ac, py), 'PAYMENT')
    if why == 'newer' then
        return
    elseif not p or p[PAYMENT.key] == '' then
        return wrong(py, 'cannot be read: restore it from a backup')
    end
    sum(1, p[PAYMENT.key], 'is for the same as another payment', 1)
    local refunded, credited = p[PAYMENT.refunded] or 0,
        p[PAYMENT.credited] or 0
    sum('=', py, 'has other refunds than the ledger', -refunded)
    sum('=', py, other_rest, -credited)
    if refunded + credited > p[PAYMENT.amount] then
        wrong(py, 'is refunded and credited by more than was paid')
    end
    if p[PAYMENT.state] == 'succeeded' then
        sum(0, py, 'has succeeded and is not in the ledger', 1)
        look_at_period(py, p)
    end
end
function look.money(field)
    local n = call('HGET', key('money', ac), field)
    if field == 'balance' and tonumber(n) then
        sum('=', 'money', 'is not the sum of the ledger', -n)
    elseif field == 'balance' then
        wrong('money', 'is not the sum of the ledger')
    elseif field == 'used' and (not string.match(n, '^%d+$')
        or tonumber(n) > amount_most)
    then
        wrong('money', 'has a use that cannot be')
    end
end
if ARG.what == 'money' then
    local _, why = read(key('bill', ac), 'BILL')
    if why == 'damaged' then
        wrong('bill', 'cannot be read: restore it from a backup')
    end
    sum(0, 'bill', bill_text, paid and 1 or 0)
end
return walk(' ledger booked payments', '*', function(what, entry)
    spent = spent + 30
    return look[what](entry)
end, ac)
