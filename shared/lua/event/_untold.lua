-- What a contact does not know, for the message that reports it ended without
-- being delivered.  "ends" has both, until the line of the contact is empty
-- (_known.lua).
--- include: digest
-- Listings that the message reported, as the first one to do so: their ends are
-- not reported either.  host: of its delivery (digest_store.lua).  Returns how
-- many hosts "ends" had.
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
-- listed again, and is told when it is resumed.  At most about 500 are moved at
-- once.  Returns how many, and whether there may be more.
local function ends_untold(ac, co)
    local ends, back, done = key('ends', ac, co), {}, {}
    local cursor = '0'
    repeat
        local page = call('HSCAN', ends, cursor, 'COUNT', 100)
        cursor = page[1]
        for i = 1, #page[2], 2 do
            local host = page[2][i]
            if host:sub(1, 1) ~= '+' then
                back[#back + 1] = host
                back[#back + 1] = page[2][i + 1]
                done[#done + 1] = host
            end
        end
    until cursor == '0' or #done >= 500
    in_parts('HSET', key('open', ac, co), back)
    in_parts('HDEL', ends, done)
    return #done, cursor ~= '0'
end
