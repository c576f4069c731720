-- Looks whether addresses in the set of a range are hosts of that range.
--- key: acct  acct:<AC>
--- arg: mend  "1": mend
--- arg: range  SID
--- arg: kids...  SIDs of addresses
--- reply: OK  then faults (_fsck.lua)
--- include: fsck
--- use: host
local range = ARG.range
local kids = key('kids', ac, range)
-- The fields of a record up to the parent fit into so many bytes.
local host_head = 1536
local function is_kid(sid)
    if not owns('hosts', sid) then
        return false
    end
    -- A key of another type makes the error a table, which is no record.
    local head = redis.pcall('GETRANGE', key('r', ac, sid), 0, host_head - 1)
    local ok, _, version, id, _, _, _, _, parent =
        pcall(cmsgpack.unpack_limit, head, HOST.parent, 3)
    return ok and version == 1 and id == sid and parent == range
end
for i = ARG.kids, #ARGV do
    local sid = ARGV[i]
    if call('ZSCORE', kids, sid) and not is_kid(sid) and not newer(sid) then
        fault('kids', range, 'has an address that is none of it: ' .. sid,
            function() call('ZREM', kids, sid) end)
    end
end
return out
