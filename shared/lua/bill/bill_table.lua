-- Shows a slice of an account's ledger or payments, the oldest first.
--- key: acct  acct:<AC>
--- arg: what  ledger, payments
--- arg: cursor  "" at first
--- arg: most
--- reply: OK next rows[]  next: the cursor, "": it is the last slice; entries
---          of the stream, or records
--- reply: ACCOUNT  there is none
--- include: exists
local k, rows, next = key(ARG.what, ac), {}, ''
local most = tonumber(ARG.most)
if ARG.what == 'ledger' then
    rows = call('XRANGE', k, ARG.cursor == '' and '-' or '(' .. ARG.cursor, '+',
        'COUNT', most)
    next = #rows == most and rows[most][1] or ''
else
    local first = tonumber(ARG.cursor) or 0
    local sids = call('ZRANGE', k, first, first + most - 1)
    for _, sid in ipairs(sids) do
        rows[#rows + 1] = call('GET', key('pay', ac, sid)) or nil
    end
    next = #sids == most and tostring(first + most) or ''
end
return {'OK', next, rows}
