-- The mutes of an account (_tells.lua): the index "mutes:<AC>", score = when
-- each is over (ms), "inf": never.  Those that are not over are in "unmutes",
-- "<AC>:<MU>", by the end of their present or next time.
--- include: notify
local mutes_most = 100                  -- of an account, also those of the past
-- When a mute is over (ms).
local function mute_over(m)
    if m[MUTE.rule] == '' then
        return m[MUTE.ends]
    end
    return m[MUTE.last] > 0 and m[MUTE.last] or math.huge
end
local function mute_save(m)
    local mu, over = m[MUTE.id], mute_over(m)
    save(key('r', ac, mu), m)
    call('ZADD', key('mutes', ac), over < math.huge and tostring(over) or 'inf',
        mu)
    if over > now_ms() then
        call('ZADD', key('unmutes'), tostring(m[MUTE.ends]), ac .. ':' .. mu)
    end
end
-- Has all contacts of the account look at what they know, and at what was held
-- back.
local function mutes_look()
    notify_note('*', function(op)
        op[5] = 1
        for _, there in ipairs(op[4]) do
            if there == '*' then
                return
            end
        end
        op[4][#op[4] + 1] = '*'
    end)
end
-- It is over.
local function mutes_done(mu)
    call('ZREM', key('unmutes'), ac .. ':' .. mu)
    mutes_look()
end
-- Ends one now; mutes_look has to follow.
local function mute_close(m, now)
    m[MUTE.begins], m[MUTE.ends] = math.min(m[MUTE.begins], now), now
    m[MUTE.rule], m[MUTE.minutes] = '', 0
    mute_save(m)
    call('ZREM', key('unmutes'), ac .. ':' .. m[MUTE.id])
end
-- Ends the mutes of a group or a list, and those within a group, that is
-- deleted.
local function mutes_gone(sid)
    local now, gone = now_ms(), false
    local keys = call('ZRANGE', key('mutes', ac), '(' .. tostring(now), '+inf',
        'BYSCORE')
    for i, mu in ipairs(keys) do
        keys[i] = key('r', ac, mu)
    end
    for _, raw in ipairs(keys[1] and call('MGET', unpack(keys)) or {}) do
        if raw and string.find(raw, sid, 1, true) then
            local sound, m = pcall(cmsgpack.unpack, raw)
            if sound and type(m) == 'table'
                and (m[MUTE.target] == sid or m[MUTE.group] == sid)
            then
                mute_close(m, now)
                gone = true
            end
        end
    end
    if gone then
        mutes_look()
    end
end
