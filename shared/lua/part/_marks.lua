-- Marks of current listings: the hash "marks:<AC>", "<HT>" -> packed array of
-- "mark".  A mark ends with its listing.
local marks_hosts, marks_host = 1000, 20    -- of an account, of a host
local function marks_set(ht, all)
    if all[1] then
        call('HSET', key('marks', ac), ht, cmsgpack.pack(all))
    else
        call('HDEL', key('marks', ac), ht)
    end
end
