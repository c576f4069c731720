-- Listings that mutes and flapping hosts hold back from a contact (_tells.lua).
-- The hash "held:<AC>:<CO>" has an entry for each host with such listings: "m"
-- if a mute holds some back now, "f" if the host flaps, then a space and
-- "<time>:<weight>:<RB>,<RB>," for each of at most two messages: the last one
-- about the host, whose time is in "open", and the one that is being made.
-- weight: the highest weight in the messages since the host flaps, up to that
-- one; "": the host did not flap.  The lists are those that the message left
-- out because they were muted.

-- Returns the lists that the message of a time (text) left out, and its weight;
-- nil: none.
local function held_of(text, time)
    if text and time then
        local weight, lists = string.match(text,
            ' ' .. time .. ':(%d*):([^ ]*)')
        return lists ~= '' and lists or nil, tonumber(weight)
    end
end
local function held_has(lists, list)
    return lists and string.find(lists, list .. ',', 1, true)
end
-- The lists that are in both texts.
local function held_both(lists, others)
    return others and string.gsub(lists, '([^,]+),', function(list)
        return held_has(others, list) and list .. ',' or ''
    end) or ''
end
local function held_entry(time, lists, weight)
    lists = lists or ''
    return time and (weight or lists ~= '')
        and ' ' .. time .. ':' .. (weight or '') .. ':' .. lists or ''
end
-- The entry with the message of this time alone.
local function held_only(text, time)
    return string.match(text, '^%a*')
        .. (string.match(text, ' ' .. time .. ':[^ ]*') or '')
end
-- The entry after the message of this time has left out more lists, which are
-- muted.  highest: the highest weight that is left in it.
local function held_more(text, time, lists, highest)
    local there, weight = held_of(text, time)
    local flags, rest = string.match(text or '', '^m?(f?)(.*)$')
    return 'm' .. flags .. string.gsub(rest, ' ' .. time .. ':[^ ]*', '', 1)
        .. held_entry(time, (there or '') .. lists, weight
            and math.min(weight, highest))
end
-- Writes the entry of a host; "": nothing is held back.  was: the entry before,
-- or false.
local function held_put(k, id, text, was)
    if text ~= '' and text ~= was then
        call('HSET', k, id, text)
    elseif text == '' and was then
        call('HDEL', k, id)
    end
end
