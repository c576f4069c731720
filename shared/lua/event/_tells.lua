-- This file alone decides which listings of a host a contact is notified about:
-- those of the contact's least weight or above that no mute covers, once they
-- have stood for as long, and been found by as many checks, as the contact
-- wants.  A mute covers a list, a host or its range, a group by which the
-- contact has the host, the account, or a list within such a group.  A contact
-- that has the host by several groups is notified unless mutes cover all of
-- these.  Digests mark hosts without regard to that.
--
-- A mute holds back the beginning and the end of a listing (_held.lua).  The
-- end of the last listing of a host is reported even if its list is muted.
-- When a mute ends, or one of its times, all contacts get the look "*"
-- (_mutes.lua), and are notified about what they do not know yet.
--
-- A listing that is too new is looked at later (_digest.lua).  For the contact
-- it begins when it may be reported.  It is never reported if it ends before
-- that.
--
-- A contact that is notified about changes gets one message when a host begins
-- to flap (_flap.lua).  Further changes are held back, except listings with a
-- higher weight than all that was reported meanwhile.  When the host has
-- stopped flapping, the contact is notified about what it does not know yet.
--- include: digest
--- include: flap
--- include: held
-- The time of the last message about a host, from its entry in "open" (nil:
-- there was none): as a text or nil, and in ms or 0.
local function told_time(told)
    return told and string.match(told, '^%d+')
end
local function told_at(told)
    return tonumber(told_time(told) or 0)
end
local tells_mutes = {}                  -- by account
-- The targets of mutes that hold now: `on`, and `within`, the lists that are
-- muted within groups, by the group; these sets have those of `on`, too.  A
-- mute that is repeated holds until its next time is known (mute_next.lua),
-- even if no daemon was running meanwhile.
local function tells_read(now)
    local m = {on = {}, within = {}, n = 0}
    m.more = {__index = m.on}
    local keys = call('ZRANGE', key('mutes', ac), '(' .. tostring(now), '+inf',
        'BYSCORE')
    for i, mu in ipairs(keys) do
        keys[i] = key('r', ac, mu)
    end
    for _, raw in ipairs(keys[1] and call('MGET', unpack(keys)) or {}) do
        if raw then
            local _, _, _, target, _, begins, ends, rule, _, _, _, _, _, group =
                cmsgpack.unpack_limit(raw, MUTE.group, 1)
            local open = begins <= now and (ends > now or rule ~= '')
            if open and (group or '') ~= '' then
                m.within[group] = m.within[group] or setmetatable({},
                    m.more)
                m.within[group][target] = true
            elseif open then
                m.on[target] = true
                m.lists = m.lists or target:sub(1, 2) == 'RB'
            end
            m.n = m.n + 1
        end
    end
    return m
end
-- What decides for a contact: its least weight, its groups, the mutes.
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
        t.some = t.some or m.within[g] ~= nil
    end
    return t
end
-- Puts the lists that two sets have into a third one, which may be the first.
local function tells_both(both, a, b)
    for list in pairs(a) do
        both[list] = b[list]
    end
    return both
end
-- Returns whether the contact has a host, whether the host is muted as a whole,
-- and else the set of lists that are muted for it.
local function tells_host(t, id, parent, groups)
    local on, within, theirs = t.mutes.on, t.mutes.within, false
    local off, n = nil, 0
    for _, g in ipairs(groups) do
        if t.groups[g] then
            theirs = true
            local lists = not on[g] and (within[g] or on)
            n = lists and n + 1 or n
            if lists and (n == 1 or lists == on) then
                off = lists
            elseif lists and off ~= on then
                off = tells_both(n > 2 and off
                    or setmetatable({}, t.mutes.more), off, lists)
            end
        end
    end
    return theirs, theirs and (not off or on[''] or on[id]
        or parent ~= '' and on[parent]) and true or false, off or on
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
-- Returns five values: the listings to report at a time (ms); the highest
-- weight of new ones (false: none is new); the muted lists (nil: none); whether
-- the host is still listed for the contact, by a muted listing that it may know
-- or by one that is too new; when the next listing that is too new may be
-- reported (nil: none is).  off: the lists that are muted for the host
-- (tells_host).  told, hidden: as in tells_new_to.  A listing without a weight
-- is reported.
local function tells_of(t, details, off, told, hidden, at)
    local out, news, muted, known, next = {}, false, nil, false, nil
    for _, l in ipairs(details) do
        local list, weight = l[LISTING.list], l[LISTING.weight] or 0
        local from = tells_from(t, l)
        local new = tells_new_to(l, told, hidden, from)
        if weight > 0 and weight < t.least then
            -- The contact does not get it.
        elseif off[list] then
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
-- The listings of at least the least weight that ended after a time (ms).
-- disused: 1: because their list is no longer used, 0: their list ended them.
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
-- The listings that their lists have ended since the last message about the
-- host, if the contact may know them.  Of a list that has listed the host again
-- meanwhile it is the last one.  off, told, hidden: as in tells_of.
local function tells_past(t, past, off, told, hidden)
    local out = {}
    for _, p in ipairs(told > 0 and tells_ended(t, past, 0, told) or {}) do
        local known = p[PAST.since] + t.after <= told or p[PAST.off] > told
        if known and not off[p[PAST.list]]
            and not held_has(hidden, p[PAST.list])
        then
            out[#out + 1] = p
        end
    end
    return out
end
-- Returns the listings that the message of a time (ms) shows, and the lists
-- that are muted now but were not when the message was made (nil: none).  off:
-- as in tells_of.
local function tells_shown(t, details, off, hidden, at)
    local out, more = {}, nil
    for _, l in ipairs(details) do
        local list, weight = l[LISTING.list], l[LISTING.weight] or 0
        if weight > 0 and weight < t.least or held_has(hidden, list) then
            -- The message leaves it out.
        elseif off[list] then
            more = (more or '') .. list .. ','
        elseif tells_from(t, l) <= at then
            out[#out + 1] = l
        end
    end
    return out, more
end
