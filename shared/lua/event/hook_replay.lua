-- Queues a slice of dead letters again: those of a receiver, or those of an
-- application's callbacks.  They begin their schedule again, with the same
-- SIDs and bytes.  A letter without a body stays.
--- key: acct  acct:<AC>
--- arg: hook  SID of the receiver or of the application
--- arg: from  which letter, as XRANGE takes it
--- arg: to  which letter
--- arg: most  how many to look at
--- arg: event  SID of the one that is meant, or "": all
--- reply: OK n# last  how many are delivered again, the last letter looked at
--          ("": there are no more)
--- reply: HOOK  no such receiver
--- reply: DISABLED
--- reply: APP  no such application
--- include: hook
--- include: single
--- use: app
local sid, only = ARG.hook, ARG.event
if sid:sub(1, 2) == 'WH' then
    local h = hook_load()
    if not h then
        return {'HOOK'}
    end
    if h[HOOK.status] ~= 'active' then
        return {'DISABLED'}
    end
elseif not owns('apps', sid) then
    return {'APP'}
end
local letters = call('XRANGE', key('dead', ac), ARG.from, ARG.to, 'COUNT',
    ARG.most)
local n = 0
for _, entry in ipairs(letters) do
    local l, f = {}, entry[2]
    for i = 1, #f, 2 do
        l[f[i]] = f[i + 1]
    end
    local app = l.a or ''
    local own = l.to == sid or app == sid
    if own and l.e and (l.b or '') ~= '' and (only == '' or only == l.e) then
        local of = app ~= '' and {app, 'url', l.url, 'app', app} or {}
        if deliver_single(l.e, l.to, l.t, l.b, unpack(of)) then
            call('XDEL', key('dead', ac), entry[1])
            n = n + 1
        end
    end
end
local last = #letters == tonumber(ARG.most) and letters[#letters][1] or ''
return {'OK', n, last}
