-- Sends a receiver an event that only it gets, once.
--- key: acct  acct:<AC>
--- arg: hook  SID of the receiver
--- arg: event  SID
--- arg: type
--- arg: body
--- reply: OK
--- reply: HOOK  no such receiver
--- reply: DISABLED
--- include: hook
--- include: single
local h = hook_load()
if not h then
    return {'HOOK'}
end
if h[HOOK.status] ~= 'active' then
    return {'DISABLED'}
end
deliver_single(ARG.event, ARG.hook, ARG.type, ARG.body, nil, 'test', '1')
return {'OK'}
