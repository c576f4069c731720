-- Reads when lists began and ceased to list some addresses, one address after
-- the other; the newest changes of an address come first.
--- key: acct  acct:<AC>
--- arg: from  place of the first address, from 0 on
--- arg: oldest  time (ms)
--- arg: fields...  of "uniq"
--- reply: OK next# hosts[]  {place, SID, entries of hist:<AC>:<HT>} of each
--          address with entries; next: where to go on, or -1
--- include: account
local entries_most, octets_most = 200, 65536
local host_most = 200           -- more than a host has
local sids = call('HMGET', key('uniq', ac), unpack(ARGV, ARG.fields))
local hosts, entries, octets = {}, 0, 0
for i = tonumber(ARG.from) + 1, #sids do
    if entries >= entries_most or octets >= octets_most then
        return {'OK', i - 1, hosts}
    end
    local found = sids[i] and call('XREVRANGE', key('hist', ac, sids[i]), '+',
        ARG.oldest, 'COUNT', host_most)
    if found and found[1] then
        hosts[#hosts + 1] = {i - 1, sids[i], found}
        entries = entries + #found
        for _, entry in ipairs(found) do
            for _, text in ipairs(entry[2]) do
                octets = octets + #text
            end
        end
    end
end
return {'OK', -1, hosts}
