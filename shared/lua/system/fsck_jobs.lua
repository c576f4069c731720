-- Checks the keys that a partition has for all accounts, such as "flight".
--- key: accounts  of the partition
--- arg: mend  "1": mend
--- arg: only  the account whose entries are looked at, or ""
--- arg: bad  " <AC> <AC>", accounts whose entries cannot be
--- arg: what  "flight" at first
--- arg: cursor  _fsck_walk.lua
--- arg: entries...
--- reply: OK  then faults (_fsck.lua)
--- reply: MORE rest[]  then faults
--- include: fsck_names
--- include: fsck_walk
--- include: fsck_queues
local order = string.gsub(partition_names, '=%l+', '')
return walk(order, ARG.only .. '*', function(what, entry)
    ac = entry:sub(1, 34)
    spent = spent + 25
    if #ac < 34 or not string.find(ARG.bad, ' ' .. ac, 1, true) then
        look[what](entry)
    end
end)
