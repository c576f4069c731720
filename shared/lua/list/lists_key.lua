-- Sets or deletes the key of a list that needs one.  There is one copy of the
-- keys, in partition 0, where the daemons read the state of the lists.
--- key: lists
--- arg: list  SID
--- arg: secret  the key; "": none
--- reply: OK
--- reply: LIST  no such list
--- reply: KEYLESS  it wants no key
--- include: list_of
local zone = l[LIST.zone]
if not string.find(zone, '{key}', 1, true) then
    return {'KEYLESS'}
end
if ARG.secret ~= '' then
    call('HSET', key('lists:keys'), zone, ARG.secret)
else
    call('HDEL', key('lists:keys'), zone)
end
call('INCR', key('lists:ver'))
return {'OK'}
