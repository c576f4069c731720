-- This file alone decides which listings of a host a contact is notified about:
-- those of the contact's least weight or above that no mute covers, once they
-- have stood for as long, and been found by as many checks, as the contact
-- wants.  A mute covers a list, a host or its range, a group by which the
-- contact has the host, or the account.  Digests mark hosts without regard to
-- that.
--
-- A mute holds back the beginning and the end of a listing (_held.lua).  That a
-- host has left its last list is reported, also if that list was muted.  When a
-- mute is over, or one of its times, all contacts get the look "*"
-- (_mutes.lua), and are notified about what they do not know.
--
-- A listing that is too new is looked at later (_digest.lua).  For the contact
-- it begins when it may be reported; it is never reported if it ends before.
--
-- Of a host that flaps (_flap.lua) a contact that hears changes gets one
-- message that says so; then what begins and ends is held back, unless a
-- listing has a higher weight than all that the contact was told meanwhile.
-- When the host has been quiet the contact is told what it does not know.
--- include: digest
--- include: flap
--- include: held
-- When the contact was last notified about the host, by its entry in "open", or
-- nil: as text, and in ms; never: nil, and 0.
local function told_time(told)
    return told and string.match(told, '^%d+')
end
local function told_at(told)
    return tonumber(told_time(told) or 0)
end
local tells_mutes = {}                  -- by account
-- The targets of mutes that hold now.  One that is repeated holds until its
-- next time is known (mute_next.lua), also if no daemon was at work meanwhile.
local function tells_read(now)
    local m = {on = {}, n = 0}
    local keys = call('ZRANGE', key('mutes', ac), '(' .. tostring(now), '+inf',
        'BYSCORE')
    for i, mu in ipairs(keys) do
        keys[i] = key('r', ac, mu)
    end
    for _, raw in ipairs(keys[1] and call('MGET', unpack(keys)) or {}) do
        if raw then
            local _, _, _, target, _, begins, ends, rule =
                cmsgpack.unpack_limit(raw, MUTE.rule, 1)
            if begins <= now and (ends > now or rule ~= '') then
                m.on[target] = true
                m.lists = m.lists or target:sub(1, 2) == 'RB'
            end
            m.n = m.n + 1
        end
    end
    return m
end
-- What holds for a contact: its least weight, its groups, the mutes.
local function tells_new(c, now)
    local m = tells_mutes[ac] or tells_read(now)
    tells_mutes[ac] = m
    local t = {least = c[CONTACT.weight] or 0, groups = {}, mutes = m,
        after = (c[CONTACT.after] or 0) * 60000,
        checks = c[CONTACT.checks] or 0,
        holds = digest_holds(c)}
    t.some = m.lists or t.least > 0 or t.after > 0 or t.checks > 1
    for _, g in ipairs(c[CONTACT.groups]) do
        t.groups[g] = true
    end
    return t
end
-- Is a host the contact's, and is it muted as a whole?
local function tells_host(t, id, parent, groups)
    local on, theirs, free = t.mutes.on, false, false
    for _, g in ipairs(groups) do
        if t.groups[g] then
            theirs, free = true, free or not on[g]
        end
    end
    return theirs, theirs and (not free or on[''] or on[id]
        or parent ~= '' and on[parent]) and true or false
end
-- When a listing may be reported (ms); math.huge: after more checks.
local function tells_from(t, l)
    local from = l[LISTING.since] + t.after
    if t.checks < 2 then
        return from
    end
    local found = (l[LISTING.again] or {})[t.checks - 1]
    return found and math.max(from, l[LISTING.since] + found) or math.huge
end
-- Is a listing new to a contact that was last notified about the host at `told`
-- (ms), without the lists `hidden` (or nil), if it may be reported from `from`
-- on?
local function tells_new_to(l, told, hidden, from)
    return from > told or (l[LISTING.risen] or 0) > told
        or held_has(hidden, l[LISTING.list])
end
-- Returns the listings to report at a time (ms), the highest weight of new ones
-- (false: none is), the lists that a mute holds back (nil: none), whether one
-- of these may be known or one is too new, so that the host is still listed,
-- and when the next of those that are too new may be reported (nil: none is).
-- told, hidden: as in tells_new_to.  A listing without a weight is reported.
local function tells_of(t, details, told, hidden, at)
    local out, news, muted, known, next = {}, false, nil, false, nil
    for _, l in ipairs(details) do
        local list, weight = l[LISTING.list], l[LISTING.weight] or 0
        local from = tells_from(t, l)
        local new = tells_new_to(l, told, hidden, from)
        if weight > 0 and weight < t.least then
            -- It is not there for the contact.
        elseif t.mutes.on[list] then
            muted = (muted or '') .. list .. ','
            known = known or not new
        elseif from > at then
            next, known = math.min(next or from, from), true
        else
            out[#out + 1] = l
            news = new and math.max(news or 0, weight) or news
        end
    end
    return out, news, muted, known, next
end
-- The highest weight of listings, or `least` if that is higher.
local function tells_highest(details, least)
    for _, l in ipairs(details) do
        least = math.max(least, l[LISTING.weight] or 0)
    end
    return least
end
-- The listings that ended after a time (ms), `disused`: 1 or 0; not those whose
-- weight is below the least one.
local function tells_ended(t, past, disused, after)
    local out = {}
    for _, p in ipairs(past or {}) do
        if p[PAST.till] > after and p[PAST.disused] == disused
            and (p[PAST.weight] == 0 or p[PAST.weight] >= t.least)
        then
            out[#out + 1] = p
        end
    end
    return out
end
-- Those that their lists have ended since the contact was last notified, if it
-- may know them: of a list that listed the host again meanwhile, the last one.
-- told, hidden: as in tells_new_to.
local function tells_past(t, past, told, hidden)
    local out = {}
    for _, p in ipairs(told > 0 and tells_ended(t, past, 0, told) or {}) do
        local known = p[PAST.since] + t.after <= told or p[PAST.off] > told
        if known and not t.mutes.on[p[PAST.list]]
            and not held_has(hidden, p[PAST.list])
        then
            out[#out + 1] = p
        end
    end
    return out
end
-- The listings that the message of a time (ms) shows, and the lists that mutes
-- hold back now, beside those that were held back when it was made (nil: none).
local function tells_shown(t, details, hidden, at)
    local out, more = {}, nil
    for _, l in ipairs(details) do
        local list, weight = l[LISTING.list], l[LISTING.weight] or 0
        if weight > 0 and weight < t.least or held_has(hidden, list) then
            -- It is not there for the message.
        elseif t.mutes.on[list] then
            more = (more or '') .. list .. ','
        elseif tells_from(t, l) <= at then
            out[#out + 1] = l
        end
    end
    return out, more
end
