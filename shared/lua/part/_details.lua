-- The size of the stored details of an account's checks.  The sorted set
-- "details" has "<PP>:<octets>" by when they expire (ms), and "octets", the sum
-- of all, which is less than any time and so comes first.  When details are
-- stored, expired ones leave the set, and while the sum is too large so do,
-- with their keys, those that expire next: a bounded number at a time.
local details_each = 256                -- octets of a key and its entry
local function details_store(pp, raw, ttl, now, budget)
    local k, size = key('details', ac), #raw + details_each
    local sum = call('ZSCORE', k, 'octets')
    local total, at, over = (tonumber(sum) or 0) + size, sum and 1 or 0, {}
    local rows, i = {}, 1
    while #over < 200 do
        if not rows[i] then
            rows, i = call('ZRANGE', k, at, at + 7, 'WITHSCORES'), 1
            at = at + 8
        end
        if not rows[i] or total <= budget and tonumber(rows[i + 1]) > now then
            break
        end
        over[#over + 1] = rows[i]
        total = total - (tonumber(rows[i]:sub(68)) or 0)
        i = i + 2
    end
    if over[1] then
        call('ZREM', k, unpack(over))
        for n, entry in ipairs(over) do
            over[n] = key('check', ac, entry:sub(1, 66), 'd')
        end
        call('DEL', unpack(over))
    end
    call('SET', key('check', ac, pp, 'd'), raw, 'PX', ttl)
    call('ZADD', k, tostring(total), 'octets', tostring(now + ttl),
        pp .. ':' .. size)
    if call('PTTL', k) < ttl then
        call('PEXPIRE', k, ttl + 60000)
    end
end
