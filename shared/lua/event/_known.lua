-- Notes what a contact knows once its messages are stored: hosts reported as
-- listed are in "open" from then on, and hosts reported as ended are in "ends"
-- until that message is delivered.  This is done in slices.  Meanwhile the
-- batch has "+" and the event with the score -2, or "-" with -3 if the messages
-- were dropped because the contact is paused: then it knows the ends as listed.
--- include: base
--- include: digest
--- include: host_head
--- use: contact
local known_hosts = 50
local function known_ends(co, ends)
    local open = key('open', ac, co)
    if call('ZSCORE', key('batch', ac, co), '-') then
        return
    end
    if call('EXISTS', key('line', ac, co)) == 1 then
        local kept = {}
        ends[#ends + 1] = 'storm'
        for i, told in ipairs(call('HMGET', open, unpack(ends))) do
            if told then
                kept[#kept + 1] = ends[i]
                kept[#kept + 1] = told
            end
        end
        ends[#ends] = nil
        if kept[1] and kept[1] ~= 'storm' then
            in_parts('HSET', key('ends', ac, co), kept)
        end
    end
    in_parts('HDEL', open, ends)
end
-- Does a part; true: all is done, and the batch is gone.
local function known_more(co, c)
    local batch, open = key('batch', ac, co), key('open', ac, co)
    local put, ends, done = {}, {}, {}
    local rows = call('ZRANGE', batch, 0, '+inf', 'BYSCORE', 'LIMIT', 0,
        known_hosts, 'WITHSCORES')
    for i = 1, #rows, 2 do
        local state = math.floor(tonumber(rows[i + 1]) / digest_state)
        if state == 0 and digest_hears_ends(c) then
            local sound, h = pcall(host_head, rows[i])
            put[#put + 1] = rows[i]
            put[#put + 1] = rows[i + 1] .. '|' .. (sound and h
                and h.value .. '|' .. h.name or '|')
        elseif state % 2 == 1 then
            ends[#ends + 1] = rows[i]
        end
        done[#done + 1] = rows[i]
    end
    in_parts('HSET', open, put)
    if ends[1] then
        known_ends(co, ends)
    end
    in_parts('ZREM', batch, done)
    if #rows == 2 * known_hosts then
        return false
    end
    call('UNLINK', batch)
    if call('HLEN', open) == 1 then
        call('HDEL', open, 'storm')
    end
    return true
end
