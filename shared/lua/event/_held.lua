-- What is held back from a contact, by mutes and while hosts flap
-- (_tells.lua).  A host of which something is held back has an entry in the
-- hash "held:<AC>:<CO>": "m" if a mute holds it back now, "f" if the host
-- flaps, then " <time>:<weight>:<RB>,<RB>," for each of at most two messages.
-- These are the last one about the host, with the time that "open" has, and
-- the one that is being made. weight: the highest one that the contact was
-- told since the host flaps, with that message; "": the host did not flap.
-- The lists are those that the message left out because they were muted.

-- Of the message of a time (text): the lists that it left out (nil: it left
-- out none), and the weight (nil: there is none).
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
-- The lists of both.
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
-- The text without what earlier messages left out: of that of a time alone.
local function held_only(text, time)
    return string.match(text, '^%a*')
        .. (string.match(text, ' ' .. time .. ':[^ ]*') or '')
end
-- The message of a time leaves out more lists, which are muted, and has no
-- higher weight than that.
local function held_more(text, time, lists, highest)
    local there, weight = held_of(text, time)
    local flags, rest = string.match(text or '', '^m?(f?)(.*)$')
    return 'm' .. flags .. string.gsub(rest, ' ' .. time .. ':[^ ]*', '', 1)
        .. held_entry(time, (there or '') .. lists, weight
            and math.min(weight, highest))
end
-- The new text of a host, "": nothing is held back; was: the one before, or
-- false.
local function held_put(k, id, text, was)
    if text ~= '' and text ~= was then
        call('HSET', k, id, text)
    elseif text == '' and was then
        call('HDEL', k, id)
    end
end
