-- Checks that addresses in the set of a range are hosts of that range, and
-- counts the listed ones.
--- key: acct  acct:<AC>
--- arg: mend  "1": mend
--- arg: range  SID
--- arg: what  "kids"
--- arg: cursor  _fsck_walk.lua
--- arg: entries...  SIDs of addresses
--- reply: OK  then faults (_fsck.lua) and counts: "listed", and "unknown" of
--          records that cannot be read
--- reply: MORE rest[]  then faults and counts
--- include: fsck_walk
local range = ARG.range
local kids = key('kids', ac, range)
-- The fields of a record up to the number of listings fit into so many bytes.
local host_head = 4096
local function look(_, sid)
    -- A key of another type makes the error a table, which is no record.
    local head = redis.pcall('GETRANGE', key('r', ac, sid), 0, host_head - 1)
    local ok, _, version, id, _, _, _, _, parent, _, _, _, _, _, _, listed =
        pcall(cmsgpack.unpack_limit, head, HOST.listed_count, 3)
    spent = spent + 25
    if not ok or version ~= 1 or type(listed) ~= 'number' then
        count('unknown', type(head) == 'string' and #head or 0)
        parent = nil
    elseif parent == range then
        count('listed', listed > 0 and 1 or 0)
    end
    if call('ZSCORE', kids, sid)
        and not (parent == range and id == sid and owns('hosts', sid))
        and not newer(sid)
    then
        fault('kids', range, 'has an address that is none of it: ' .. sid,
            command('ZREM', kids, sid))
    end
end
return walk(' kids', '*', look, ac, range)
