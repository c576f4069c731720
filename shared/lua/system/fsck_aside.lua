-- Checks the keys of a partition that belong to no account: the types of those
-- that it has for all accounts, keys that are made again when they are needed,
-- keys derived from the system lists, and the records of system lists, which
-- fsck does not repair.
--- key: accounts  of the partition
--- arg: mend  "1": mend
--- reply: OK  then faults (_fsck.lua)
--- reply: BAD  a key for all accounts is of another type, and was not mended;
--          then faults
--- include: fsck_names
local again = ': delete it and load the lists anew'
local function look(name, right, lists)
    local k = key(name)
    local t = type_of(k)
    if t == right or t == 'none' then
        return t == right
    end
    local how = not lists and function() call('DEL', k) end
    fault('type', name, 'is a ' .. t .. ', not a ' .. right
        .. (lists and again or ''), how)
end
if not look_at_types(partition_names) then
    out[1] = 'BAD'
end
look('outbox', 'stream')
look('daemons:addr', 'zset')
look('defaults', 'string', true)
look('defaults:for', 'hash', true)
look('lists:active', 'zset', true)
look('lists:zones', 'hash', true)
local sids = look('lists', 'zset', true) and call('ZRANGE', key('lists'), 0, -1)
for _, sid in ipairs(sids or {}) do
    local l, why = read(key('r', 'SYS', sid), 'RB')
    if why == 'missing' then
        fault('index', 'lists ' .. sid, 'has no record: load the lists anew')
    elseif why == 'newer' then
        fault('damaged', sid, 'its record is of another version')
    elseif not l or l[2] ~= sid then
        fault('damaged', sid, 'its record cannot be read: load the lists anew')
    end
end
return out
