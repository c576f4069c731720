-- Sends a test event to one receiver.
--- key: acct  acct:<AC>
--- arg: hook  SID of the receiver
--- arg: event  SID
--- arg: type
--- arg: body
--- arg: most  events that may wait for it; 0: no limit
--- audit: hook
--- reply: OK
--- reply: HOOK  no such receiver
--- reply: DISABLED
--- reply: LATER seconds#  so many events wait for it
--- include: hook_of
--- include: single
if h[HOOK.status] ~= 'active' then
    return {'DISABLED'}
end
local most = tonumber(ARG.most)
local waiting = most > 0 and call('ZLEXCOUNT', key('pending', ac),
    '[' .. ARG.hook .. ':', '(' .. ARG.hook .. ';')
if waiting and waiting >= most then
    return {'LATER', 10}
end
deliver_single(ARG.event, ARG.hook, ARG.type, ARG.body, nil, 'test', '1')
return {'OK'}
