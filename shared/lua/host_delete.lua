-- Deletes a host; of a range, its children too.  Its schedule, its listing and
-- its history end; a check of it that is queued or running ends as failed.
-- Contacts that were told of a listing hear that no more is told of it.
-- KEYS[1] acct:<AC>
-- ARGV    1 host SID  2 how long ended check records are kept (ms)
-- Result  OK | HOST
--- include: account
--- include: hosts
--- include: unchanged
--- include: refs
--- include: due
--- include: failed
--- include: totals
--- include: look
local hosts = hosts_with_kids(ARGV[1])
if not hosts then
    return {'HOST'}
end
local gone, unlisted = 0, 0
hosts_change()
local sets = {none = {}}
for _, e in ipairs(hosts) do
    local h = e[2]
    local sid = h[HOST.id]
    local member = ac .. ':' .. sid
    due_never(sid)
    unlisted = unlisted + call('ZREM', key('listed', ac), sid)
    gone = gone + call('ZREM', key('hosts', ac), sid)
    call('HDEL', key('uniq', ac), h[HOST.type] .. '|' .. h[HOST.value])
    refs_later(h[HOST.profile], -1)
    for _, g in ipairs(h[HOST.groups]) do
        refs_later(g .. ':h', -1)
    end
    local pp = call('HGET', key('flight'), member)
        or call('HGET', key('flight:due'), member)
    if pp then
        call('HDEL', key('flight'), member)
        call('HDEL', key('flight:due'), member)
        check_failed(pp:sub(1, 66), ARGV[2], h, h[HOST.value],
            'The host was deleted.')
    end
    call('DEL', e[1], key('hist', ac, sid), key('kids', ac, sid))
    sets[table.concat(h[HOST.groups])] = h[HOST.groups]
end
refs_write()
totals_add(TOTALS.hosts, -gone)
totals_add(TOTALS.listed, -unlisted)
local h = hosts[1][2]
-- What of the contacts is damaged keeps nothing from being deleted.
pcall(look_between, sets, h[HOST.type] == 'ip_range' and '*'
    or table.concat({'?' .. h[HOST.id], h[HOST.value], h[HOST.name]}, '|'))
if h[HOST.parent] ~= '' then
    call('ZREM', key('kids', ac, h[HOST.parent]), h[HOST.id])
    local pk = key('r', ac, h[HOST.parent])
    local parent = load(pk)
    if parent and h[HOST.listed_count] > 0 then
        parent[HOST.listed_count] = parent[HOST.listed_count] - 1
        if parent[HOST.listed_count] == 0 then
            parent[HOST.first_listed] = 0
        end
        save(pk, parent)
    end
end
return {'OK'}
