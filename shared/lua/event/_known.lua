-- Notes what a contact knows once its messages are stored.  Hosts that are
-- reported as listed go into "open".  Hosts whose end is reported go into
-- "ends" until that message is delivered; so do hosts that are new in "open",
-- with a "+" before the SID.  This is done in slices.  Meanwhile the batch has
-- "+" and the event with the score -2, and the messages wait
-- (delivery_claim.lua).
--- include: digest
--- include: held
--- include: host_head
local known_hosts = 50
local function known_ends(co, ends)
    local open = key('open', ac, co)
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
-- put: entries of "open" that are to be written.
local function known_begins(co, put)
    local open, hosts, begins = key('open', ac, co), {}, {}
    for i = 1, #put, 2 do
        hosts[#hosts + 1] = put[i]
    end
    if hosts[1] and call('EXISTS', key('line', ac, co)) == 1 then
        for i, told in ipairs(call('HMGET', open, unpack(hosts))) do
            if not told then
                begins[#begins + 1] = '+' .. hosts[i]
                begins[#begins + 1] = ''
            end
        end
        in_parts('HSET', key('ends', ac, co), begins)
    end
    in_parts('HSET', open, put)
end
-- Removes from "held" what earlier messages left out.  rows: hosts of the
-- batch, each with its score.
local function known_held(co, rows)
    local held, hosts = key('held', ac, co), {}
    if not rows[1] or call('EXISTS', held) == 0 then
        return
    end
    for i = 1, #rows, 2 do
        hosts[#hosts + 1] = rows[i]
    end
    for i, was in ipairs(call('HMGET', held, unpack(hosts))) do
        if was then
            held_put(held, hosts[i], held_only(was, rows[2 * i]), was)
        end
    end
end
-- Does a slice.  True: all is noted, and the batch is deleted.
local function known_more(co)
    local batch, open = key('batch', ac, co), key('open', ac, co)
    local put, ends, done = {}, {}, {}
    local rows = call('ZRANGE', batch, 0, '+inf', 'BYSCORE', 'LIMIT', 0,
        known_hosts, 'WITHSCORES')
    for i = 1, #rows, 2 do
        local state = math.floor(tonumber(rows[i + 1]) / digest_state)
        if state == 0 then
            local sound, h = pcall(host_head, rows[i])
            put[#put + 1] = rows[i]
            put[#put + 1] = rows[i + 1] .. '|' .. (sound and h
                and h.value .. '|' .. h.name or '|')
        elseif state % 2 == 1 then
            ends[#ends + 1] = rows[i]
        end
        done[#done + 1] = rows[i]
    end
    known_held(co, rows)
    known_begins(co, put)
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
