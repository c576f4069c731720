-- Looks at entries of what a partition has for all accounts: "flight",
-- "flight:due", "leases", "due", "manual", "retry", "digests", "works",
-- "settle", "tellings", "billdue", "paydue".
--- key: accounts  of the partition
--- arg: mend  "1": mend
--- arg: what  which of them
--- arg: entries...
--- reply: OK  then faults (_fsck.lua)
--- include: fsck_queues
for i = ARG.entries, #ARGV do
    ac = ARGV[i]:sub(1, 34)
    look[ARG.what](ARGV[i])
end
return out
