-- Deletes a custom list; it leaves the profiles that have it, which is work.
-- Its listings stay on the hosts until their next check, which does not query
-- it.
--- key: acct  acct:<AC>
--- arg: list  SID
--- audit: list
--- reply: WORK id#  of the work
--- reply: RBL
--- reply: SYSTEM  not a custom one
--- reply: BUSY
--- include: customs
local l, word = custom_list(ARG.list)
if not l then
    return {word}
end
named = l[LIST.zone]
if work_busy() then
    return {'BUSY'}
end
return {'WORK', work_add('rbl_delete', {ARG.list})}
