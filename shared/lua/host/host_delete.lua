-- Deletes a host; of a range, its children too, which is work.  Contacts that
-- were told of a listing hear that no more is told of it.
-- KEYS[1] acct:<AC>
-- ARGV    1 host SID  2 how long ended check records are kept (ms)
-- Result  OK | WORK, id of the work | HOST | BUSY
--- include: hosts
--- include: host_end
--- include: unchanged
--- include: totals
--- include: look
local k, h = host_of(ARGV[1])
if not h then
    return {'HOST'}
end
if h[HOST.type] == 'ip_range' then
    if work_busy() then
        return {'BUSY'}
    end
    return {'WORK', work_add('host_delete', {ARGV[1], ARGV[2]})}
end
hosts_change()
local gone, unlisted = host_end(k, h, ARGV[2])
refs_write()
totals_add(TOTALS.hosts, -gone)
totals_add(TOTALS.listed, -unlisted)
-- What of the contacts is damaged keeps nothing from being deleted.
pcall(look_between, {none = {}, was = h[HOST.groups]},
    table.concat({'?' .. h[HOST.id], h[HOST.value], h[HOST.name]}, '|'))
if h[HOST.parent] ~= '' then
    range_loses(h[HOST.parent], {h[HOST.id]}, h[HOST.listed_count] > 0 and 1
        or 0)
end
return {'OK'}
