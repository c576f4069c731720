-- The mutes of an account (_tells.lua): the index "mutes:<AC>", score = end
-- (ms).  The account is in "unmutes" by the end of the next one.
--- include: notify
local mutes_most = 100                  -- of an account, with those that ended
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
-- The account gets its turn when the next mute ends.
local function mutes_turn(now)
    local next = call('ZRANGE', key('mutes', ac), '(' .. tostring(now), '+inf',
        'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')
    if next[2] then
        call('ZADD', key('unmutes'), next[2], ac)
    else
        call('ZREM', key('unmutes'), ac)
    end
end
