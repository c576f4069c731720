-- What a contact does not know, for the message that reports it ended without
-- being delivered.  "ends" has both, until the line of the contact is empty
-- (_known.lua).  Both functions return how many hosts "ends" had.
--- include: digest
-- Listings that the message reported, as the first one to do so: their ends are
-- not reported either.  host: of its delivery (digest_store.lua).
local function begins_untold(ac, ev, co, host)
    local ends, open = key('ends', ac, co), key('open', ac, co)
    if not host or host == '' then
        return 0
    end
    if host ~= '*' then
        if call('HDEL', ends, '+' .. host) == 1 then
            call('HDEL', open, host)
        end
        return 1
    end
    local begins, hosts = {}, {}
    local fields = call('HGETALL', ends)
    for i = 1, #fields, 2 do
        if fields[i]:sub(1, 1) == '+' then
            begins[#begins + 1] = fields[i]
            hosts[#hosts + 1] = fields[i]:sub(2)
        end
    end
    in_parts('HDEL', ends, begins)
    in_parts('HDEL', open, hosts)
    if call('HGET', open, 'storm') == ev then
        call('HDEL', open, 'storm')
    end
    return #fields / 2
end
-- Ends that were on their way to a contact that is paused: it knows them as
-- listed again, and is told when it is resumed.
local function ends_untold(ac, co)
    local ends, back, done = key('ends', ac, co), {}, {}
    local fields = call('HGETALL', ends)
    for i = 1, #fields, 2 do
        if fields[i]:sub(1, 1) ~= '+' then
            back[#back + 1] = fields[i]
            back[#back + 1] = fields[i + 1]
            done[#done + 1] = fields[i]
        end
    end
    in_parts('HSET', key('open', ac, co), back)
    in_parts('HDEL', ends, done)
    return #fields / 2
end
