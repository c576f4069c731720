-- Changes a contact group.  The default group stays the default until another
-- group is made the default.
--- key: acct  acct:<AC>
--- arg: group  SID
--- arg: named  "1" if name is given
--- arg: name
--- arg: is_default  "1": it becomes the default, "0": it must not be it, "":
--          unchanged
--- audit: group
--- reply: OK
--- reply: GROUP
--- reply: DEFAULT
--- reply: ACCOUNT
--- include: chosen
local k = key('r', ac, ARG.group)
local g = owns('groups', ARG.group) and load(k)
if not g then
    return {'GROUP'}
end
named = g[GROUP.name]
if ARG.is_default == '0' and chosen[CHOSEN.group] == ARG.group then
    return {'DEFAULT'}
end
if ARG.named ~= '1' and ARG.is_default ~= '1' then
    by = nil
end
if ARG.named == '1' then
    g[GROUP.name] = ARG.name
    save(k, g)
end
if ARG.is_default == '1' then
    choose(CHOSEN.group, ARG.group)
end
return {'OK'}
