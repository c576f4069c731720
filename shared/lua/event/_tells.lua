-- This file alone decides which listings of a host a contact is notified about:
-- those of the contact's least weight or above that no mute covers, once they
-- have stood for as long, and been found by as many checks, as the contact
-- wants.  A mute covers a list, a host or its range, a group by which the
-- contact has the host, or the account.  Digests mark hosts without regard to
-- that.
--
-- A mute holds back the beginning and the end of a listing.  That a host has
-- left its last list is reported, also if that list was muted.  The hash
-- "held:<AC>:<CO>" has what was held back: "<HT>" -> when (ms).  When the mute
-- ends all contacts get the look "*" (_mute.lua), and are notified about what
-- they do not know.  Mutes that have ended are kept for that.
--
-- A listing that is too new is looked at later (_digest.lua).  For the contact
-- it begins when it may be reported; it is never reported if it ends before.
--
-- Of a host that flaps (_flap.lua) a contact that hears changes gets one
-- message that says so; then what begins and ends is held back, unless a
-- listing has a higher weight than all that the contact was told meanwhile.
-- When the host has been quiet the contact is told what it does not know.
-- "held" has such a host with "<ms>:<weight>", the highest weight that the
-- contact was told.
--- include: digest
--- include: flap
-- When the contact was last notified about the host (ms); 0: never.
local function told_at(told)
    return told and tonumber(string.match(told, '^%d+')) or 0
end
local tells_mutes = {}                  -- by account
-- The mutes of the account: of each target, when the first of those that hold
-- now was made, and of each list the times of those that have ended.
local function tells_read(now)
    local m = {made = {}, past = {}, n = 0}
    local keys = call('ZRANGE', key('mutes', ac), 0, -1)
    for i, mu in ipairs(keys) do
        keys[i] = key('r', ac, mu)
    end
    for _, raw in ipairs(keys[1] and call('MGET', unpack(keys)) or {}) do
        if raw then
            local _, _, _, target, made, ends = cmsgpack.unpack_limit(raw,
                MUTE.ends, 1)
            local is_list = target:sub(1, 2) == 'RB'
            if ends > now then
                m.made[target] = math.min(m.made[target] or made, made)
                m.lists = m.lists or is_list
            elseif is_list then
                m.past[target] = m.past[target] or {}
                table.insert(m.past[target], {made, ends})
                m.lists = true
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
    local made, theirs, free = t.mutes.made, false, false
    for _, g in ipairs(groups) do
        if t.groups[g] then
            theirs, free = true, free or not made[g]
        end
    end
    return theirs, theirs and (not free or made[''] or made[id]
        or parent ~= '' and made[parent]) and true or false
end
-- Was the list muted when the contact was notified about the host (told, ms)?
local function tells_hid(t, list, told)
    local made = t.mutes.made[list]
    if made and made <= told then
        return true
    end
    for _, m in ipairs(t.mutes.past[list] or {}) do
        if m[1] <= told and told < m[2] then
            return true
        end
    end
    return false
end
-- When a listing may be reported (ms); math.huge: after more checks.
local function tells_from(t, l)
    local from = l[LISTING.since] + t.after
    if t.checks < 2 then
        return from
    end
    local found = (l[LISTING.again] or {})[t.checks - 1]
    return found and math.max(from, l[LISTING.since] + 1000 * found)
        or math.huge
end
-- Is a listing new to a contact that was last notified about the host at `told`
-- (ms), if it may be reported from `from` on?
local function tells_new_to(t, l, told, from)
    return from > told or (l[LISTING.risen] or 0) > told
        or tells_hid(t, l[LISTING.list], told)
end
-- Returns the listings to report at a time (ms), the highest weight of new ones
-- (false: none is), whether one is held back by a mute, and one is held back
-- that the contact may know, and when the next of those that are too new may be
-- reported (nil: none is).  A listing without a weight is reported.
local function tells_of(t, details, told, at)
    local out, news, muted, known, next = {}, false, false, false, nil
    for _, l in ipairs(details) do
        local weight = l[LISTING.weight] or 0
        local from = tells_from(t, l)
        local new = tells_new_to(t, l, told, from)
        if weight > 0 and weight < t.least then
            -- It is not there for the contact.
        elseif t.mutes.made[l[LISTING.list]] then
            muted = true
            known = known or not new
        elseif from > at then
            next = math.min(next or from, from)
            known = known or l[LISTING.since] <= told
        else
            out[#out + 1] = l
            news = new and math.max(news or 0, weight) or news
        end
    end
    return out, news, muted, known, next
end
-- The listings that have ended since the contact was last notified, of those
-- that it may know: of a list that listed the host again meanwhile, the last
-- one.
local function tells_past(t, past, told)
    local out = {}
    for _, p in ipairs(told > 0 and past or {}) do
        local known = p[PAST.since] + t.after <= told or p[PAST.off] > told
        if known and p[PAST.till] > told
            and (p[PAST.weight] == 0 or p[PAST.weight] >= t.least)
            and not t.mutes.made[p[PAST.list]]
        then
            out[#out + 1] = p
        end
    end
    return out
end
