-- Makes an account with its default profile and default contact group.
--- key: acct  acct:<AC>
--- arg: name
--- arg: timezone
--- arg: plan
--- arg: paid
--- arg: hosts  how many at most
--- arg: contacts  how many at most
--- arg: interval  (s)
--- arg: profile  SID
--- arg: group  SID
--- arg: checks  how many a day at most
--- arg: shortest  interval (s)
--- audit
--- reply: OK
--- reply: EXISTS
--- include: account_save
if call('EXISTS', KEY.acct) == 1 then
    return {'EXISTS'}
end
local now = now_ms()
named = ARG.name
local a = {1, ac, ARG.name, 'active', ARG.timezone, ARG.plan,
    tonumber(ARG.paid), tonumber(ARG.hosts), tonumber(ARG.contacts),
    tonumber(ARG.interval), now, tonumber(ARG.checks), tonumber(ARG.shortest)}
call('SET', key('checked', ac), '0')
account_save(a)
save(key('chosen', ac), {1, ARG.profile, ARG.group})
save(key('r', ac, ARG.profile),
    {1, ARG.profile, 'Default', 'active', 1, {}, now})
save(key('r', ac, ARG.group), {1, ARG.group, 'Default', now})
local seq = call('INCR', key('seq', ac))
call('ZADD', key('profiles', ac), seq, ARG.profile)
call('ZADD', key('groups', ac), seq, ARG.group)
call('ZADD', key('accounts'), now, ac)
return {'OK'}
