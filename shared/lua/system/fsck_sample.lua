-- Checks the first entries of the queues of a partition without repairs, for a
-- daemon after a failover.
--- key: due  of the partition
--- arg: mend  "0"
--- reply: OK  then faults (_fsck.lua)
--- include: fsck_names
--- include: fsck_queues
local most = 10
for what, t in string.gmatch(partition_names, ' ([%l:]+)=(%l+)') do
    for _, entry in ipairs(not look[what] and {}
        or t == 'hash' and call('HRANDFIELD', key(what), most)
        or call('ZRANGE', key(what), 0, most - 1))
    do
        ac = entry:sub(1, 34)
        look[what](entry)
    end
end
return out
