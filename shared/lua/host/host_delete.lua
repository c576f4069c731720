-- Deletes a host; for a range also its children, which is work.  Contacts that
-- know a listing are notified that it is no longer reported.
--- key: acct  acct:<AC>
--- arg: host  SID
--- arg: keep  how long ended check records are kept (ms)
--- audit: host
--- reply: OK
--- reply: WORK id#  of the work
--- reply: HOST
--- reply: BUSY
--- include: host_of
--- include: host_end
--- include: unchanged
--- include: totals
--- include: look
if h[HOST.type] == 'ip_range' then
    --- include: work
    return work_accept('host_delete', {ARG.host, ARG.keep})
end
hosts_change()
local gone, unlisted = hosts_end({{k, h}}, ARG.keep)
refs_write()
totals_add(TOTALS.hosts, -gone)
totals_add(TOTALS.listed, -unlisted)
-- A damaged record of a contact does not stop the deletion.
pcall(look_between, {none = {}, was = h[HOST.groups]},
    table.concat({'?' .. h[HOST.id], h[HOST.value], h[HOST.name]}, '|'))
if h[HOST.parent] ~= '' then
    range_loses(h[HOST.parent], {h[HOST.id]}, h[HOST.listed_count] > 0 and 1
        or 0)
end
return {'OK'}
