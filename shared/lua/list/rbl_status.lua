-- Pauses or resumes a custom list.  A paused one stays in its profiles and is
-- not asked.  Doing it twice is no error and has no second effect.
--- key: acct  acct:<AC>
--- arg: list  SID
--- arg: status  active, paused
--- audit: list
--- reply: OK
--- reply: RBL
--- reply: SYSTEM  not a custom one
--- include: rbl_of
if l[LIST.status] ~= ARG.status then
    l[LIST.status] = ARG.status
    save(key('r', ac, ARG.list), l)
end
return {'OK'}
