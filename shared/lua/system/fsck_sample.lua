-- Looks at the first entries of the queues of a partition, and repairs nothing:
-- what a daemon does after a failover.
--- key: due  of the partition
--- arg: mend  "0"
--- reply: OK  then faults (_fsck.lua)
--- include: fsck_queues
local most = 10
local function sample(what)
    if what == 'flight' or what == 'flight:due' then
        return call('HRANDFIELD', key(what), most)
    end
    return call('ZRANGE', key(what), 0, most - 1)
end
for _, what in ipairs({'flight', 'flight:due', 'leases', 'due', 'manual',
    'retry', 'digests', 'works', 'settle', 'tellings', 'billdue', 'paydue'})
do
    for _, entry in ipairs(sample(what)) do
        ac = entry:sub(1, 34)
        look[what](entry)
    end
end
return out
