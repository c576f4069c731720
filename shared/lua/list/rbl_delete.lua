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
return work_accept('rbl_delete', {ARG.list})
