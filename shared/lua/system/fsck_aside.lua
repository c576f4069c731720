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
if not look_at_types(partition_names) then
    out[1] = 'BAD'
end
look_at_types(' outbox=stream daemons:addr=zset responded=hash ')
-- The last days of the service.
local today = math.floor(now_ms() / 86400000)
local function look_at_day(name, wanted, day)
    local k = key(name, day)
    local t = type_of(k)
    if t ~= 'none' and t ~= wanted then
        fault('type', name .. ':' .. day, 'is a ' .. t .. ', not a ' .. wanted,
            command('DEL', k))
    elseif t ~= 'none' and call('PTTL', k) == -1 then
        fault('endless', name .. ':' .. day, 'has no end', command('PEXPIRE', k,
            (day - today + 8) * 86400000))
    end
end
for day = today - 7, today do
    look_at_day('series', 'string', day)
    look_at_day('responses', 'hash', day)
end
look_at_types(' defaults=string defaults:for=hash lists:active=zset'
    .. ' lists:zones=hash lists=zset ', nil, ': delete it and load the lists'
    .. ' again')
local sids = type_of(key('lists')) == 'zset'
    and call('ZRANGE', key('lists'), 0, -1)
for _, sid in ipairs(sids or {}) do
    local l, why = read(key('r', 'SYS', sid), 'RB')
    if why == 'missing' then
        fault('index', 'lists ' .. sid, 'has no record: load the lists again')
    elseif why == 'newer' then
        fault('damaged', sid, 'its record is of another version')
    elseif not l or l[2] ~= sid then
        fault('damaged', sid, 'its record cannot be read: load the lists again')
    end
end
return out
