-- Shows dead letters without their bodies, newest first: those to one receiver,
-- application or contact, or all.  A call looks at a bounded number of letters.
--- key: acct  acct:<AC>
--- arg: of  SID; "": all
--- arg: before  letter behind which to begin; "": the newest
--- arg: most  letters to show
--- reply: OK before letters[]  where to go on ("": there are no more)
--- reply: HOOK  no such receiver
--- reply: APP  no such application
--- reply: CONTACT  no such contact
--- row: letter id event type to status# error attempts# kept#  kept 0: it has
--                                                    no body, and stays
--- include: receiver
local missing = ARG.of ~= '' and receiver_missing(ARG.of)
if missing then
    return {missing}
end
local most, step, looks_most, octets_most = tonumber(ARG.most), 5, 200, 131072
local before, found, looks, octets = ARG.before, {}, 0, 0
local function show(id, f)
    local l = {}
    for i = 1, #f, 2 do
        l[f[i]] = f[i + 1]
    end
    local to = (l.a or '') ~= '' and l.a or l.to or ''
    local body = l.b or ''
    octets = octets + #body
    if ARG.of == '' or ARG.of == to then
        found[#found + 1] = {id, l.e or '', l.t or '', to, l.s or 0, l.x or '',
            l.n or 0, l.e and body ~= '' and 1 or 0}
    end
end
repeat
    local letters = call('XREVRANGE', key('dead', ac),
        before == '' and '+' or '(' .. before, '-', 'COUNT', step)
    for _, entry in ipairs(letters) do
        if #found < most then
            before = entry[1]
            show(before, entry[2])
        end
    end
    looks = looks + step
    if #letters < step and #found < most then
        before = ''
    end
until before == '' or #found >= most or looks >= looks_most
    or octets >= octets_most
return {'OK', before, found}
