-- Queues a slice of dead letters again, those of a receiver or those of the
-- callbacks of an application.  Their schedule begins again, with the same SIDs
-- and bytes.  A letter without a body stays.  The slice ends early if its
-- letters are large.
--- key: acct  acct:<AC>
--- arg: hook  SID of the receiver or of the application
--- arg: from  which letter, as XRANGE takes it
--- arg: to  which letter
--- arg: most  how many to look at
--- arg: event  SID of the one that is meant, or "": all
--- audit: hook
--- reply: OK n# last  how many are delivered again, the last letter looked at
--          ("": there are no more)
--- reply: HOOK  no such receiver
--- reply: DISABLED
--- reply: APP  no such application
--- include: hook
--- include: single
local sid, only = ARG.hook, ARG.event
if sid:sub(1, 2) == 'WH' then
    local h = hook_load()
    if not h then
        return {'HOOK'}
    end
    named = h[HOOK.name]
    if h[HOOK.status] ~= 'active' then
        return {'DISABLED'}
    end
elseif not owns('apps', sid) then
    return {'APP'}
end
local most, step, octets_most = tonumber(ARG.most), 5, 65536
local from, looks, n, octets = ARG.from, 0, 0, 0
-- Further slices of a replay are not in the audit log.
if from:sub(1, 1) == '(' then
    by = nil
end
local function again(id, f)
    local l = {}
    for i = 1, #f, 2 do
        l[f[i]] = f[i + 1]
    end
    local app, body = l.a or '', l.b or ''
    octets = octets + #body
    if l.to ~= sid and app ~= sid or not l.e or body == ''
        or only ~= '' and only ~= l.e
    then
        return
    end
    local of = app ~= '' and {app, 'url', l.url, 'app', app} or {}
    if deliver_single(l.e, l.to, l.t, body, unpack(of)) then
        call('XDEL', key('dead', ac), id)
        n = n + 1
    end
end
local last
repeat
    local count = math.min(step, most - looks)
    local letters = call('XRANGE', key('dead', ac), from, ARG.to, 'COUNT',
        count)
    for _, entry in ipairs(letters) do
        last = entry[1]
        again(last, entry[2])
    end
    looks = looks + count
    from = '(' .. (last or '')
    if #letters < count then
        last = ''
    end
until last == '' or looks >= most or octets >= octets_most
return {'OK', n, last}
