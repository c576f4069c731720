-- Steps of check_finish: makes the current listings of a host of the results.
--
-- An unknown or skipped list keeps its listing.  A list that is no longer
-- queried, or queried by another zone, has none.  Unknown results of a list are
-- counted from one known result to the next.
--- takes: answered before began checked ended listings n_before n_listed
--- takes: n_unknown news now places results reweighed troubled troubled_before
--- sets: again_most answered at began by_sid clear is_distrusted is_pending
--- sets: joined last_found n_listed n_results n_unknown news next_before
--- sets: only_listed pending_most reweighed trouble troubled_most unconfirmed
--- sets: unpack_limit
-- Lists of a host that cannot tell whether it is listed are in `troubled` and
-- in the last fields of `details` (schema.txt).  Lists with earlier trouble
-- keep their places.  Lists with a new listing that is not confirmed have
-- places of their own: the next check must know them.
local troubled_most, pending_most = 8, 64
local is_pending = {unconfirmed = true, frozen = true, disagree = true}
-- Earlier answers of a list with one of these errors are not trusted.
local is_distrusted = {unhealthy = true, resolver = true, blocked = true}
-- 1 while a new listing of the list is not confirmed.  A timeout, for example,
-- says nothing about the listing and changes nothing.
local function pending(was, error)
    return is_pending[error] and 1 or not is_distrusted[error] and was or nil
end
-- Since when a list has reported that a listing is over (0: it has not).  The
-- time since the last check counts only if the list has answered in it.
local function over_since(over, error)
    if is_distrusted[error] then
        return 0
    elseif error == 'unconfirmed' then
        return over == 0 and now or over
    end
    return over == 0 and 0 or math.min(now, over + math.max(0, now - checked))
end
-- The listing that a list had; each is asked for once.  Results mostly come in
-- the order of the listings: from the first that does not, listings are found
-- by SID (false: its list has a result).
local by_sid, next_before = nil, 1
local function listing_before(sid)
    local l = before[next_before]
    if not by_sid and l and l[LISTING.list] == sid then
        next_before = next_before + 1
        return l
    end
    if not by_sid then
        by_sid = {}
        for i = next_before, n_before do
            by_sid[before[i][LISTING.list]] = before[i]
        end
    end
    l = by_sid[sid]
    by_sid[sid] = l and false
    return l
end
-- A listing whose weight rises is news for contacts; one whose weight falls may
-- be over for them.
local function weigh(l, weight)
    local was = l[LISTING.weight] or 0
    local rises = was > 0 and weight > was
    l[LISTING.weight] = weight
    l[LISTING.risen] = rises and now or l[LISTING.risen] or 0
    news = news or was > 0 and weight > 0 and weight ~= was
end
-- A contact may want a listing to be found by some checks (_tells.lua).
local again_most = 4
local function found_again(l)
    local again = l[LISTING.again] or {}
    if #again < again_most then
        again[#again + 1] = math.max(0, now - l[LISTING.since])
    end
    l[LISTING.again] = again
end
-- How many elements a packed array has, and where they begin.
local function array_at(packed)
    local first, high, low = packed:byte(1, 3)
    if first == 220 then
        return high * 256 + low, 3
    end
    return first - 144, 1
end
local trouble, joined, unconfirmed = {}, {}, {}
for _, t in ipairs(troubled_before or {}) do
    trouble[t[TROUBLE.list]] = t
end
only_listed = true
-- The results are unpacked one at a time: a table of all of them would take
-- longer than everything else in a check.
local unpack_limit = cmsgpack.unpack_limit
local n_results, at = array_at(results)
for _ = 1, n_results do
    local place, sid, zone, site, is, codes, text, error, weight, _ = at
    at, sid, _, _, zone, site, is, codes, text, _, error, _, weight =
        unpack_limit(results, RESULT.weight, at + 1)
    local l = listing_before(sid)
    -- A custom list may have another zone now: that is another list.
    if l and l[LISTING.zone] ~= zone then
        add_end(l, 'ended')
        l = nil
    end
    if is == 'listed' and l then
        l[LISTING.website], l[LISTING.details] = site, text
        l[LISTING.codes], l[LISTING.asked] = codes, now
        l[LISTING.errors], l[LISTING.cleared] = 0, 0
        weigh(l, weight)
        found_again(l)
        -- It is counted with another weight (_listings.lua).
        reweighed = reweighed or not l[LISTING.counted]
            or weight > 0 and weight ~= l[LISTING.counted]
    elseif is == 'listed' then
        l = {sid, zone, site, text, codes, now, now, 0, 0, weight, 0, {},
            off_since(sid, zone)}
        news, began = true, began + 1
        add_transition(sid, zone, 'listed', table.concat(codes, ','))
    else
        local is_unknown, t = is == 'unknown', trouble[sid]
        only_listed = false
        answered = answered - 1
        n_unknown = n_unknown + (is_unknown and 1 or 0)
        if l and is_unknown then
            l[LISTING.asked] = l[LISTING.asked] or 0
            l[LISTING.errors] = (l[LISTING.errors] or 0) + 1
            l[LISTING.cleared] = over_since(l[LISTING.cleared] or 0, error)
        elseif not l and t then
            if is_unknown then
                t[TROUBLE.error], t[TROUBLE.count] = error, t[TROUBLE.count] + 1
                t[TROUBLE.pending] = pending(t[TROUBLE.pending], error)
            end
            troubled[#troubled + 1] = t
        elseif not l and is_unknown and is_pending[error] then
            unconfirmed[#unconfirmed + 1] = {sid, error, now, 1, 1}
        elseif not l and is_unknown and #joined < troubled_most then
            joined[#joined + 1] = {sid, error, now, 1}
        end
    end
    if l then
        n_listed = n_listed + 1
        listings[n_listed], places[n_listed] = l, place
    end
end
for i = 1, math.min(#joined, troubled_most - #troubled) do
    troubled[#troubled + 1] = joined[i]
end
for i = 1, math.min(#unconfirmed, troubled_most + pending_most - #troubled) do
    troubled[#troubled + 1] = unconfirmed[i]
end
-- Clear lists mostly come in the order of the listings, too.  One with another
-- zone now is not among them (result.c).
local clear, last_found = ARG.clear, 0
for i = by_sid and 1 or next_before, n_before do
    local l = before[i]
    local sid = l[LISTING.list]
    if not by_sid or by_sid[sid] then
        local _, found = string.find(clear, sid, last_found + 1, true)
        if not found and last_found > 0 then
            _, found = string.find(clear, sid, 1, true)
        end
        last_found = found or last_found
        add_end(l, found and 'clear' or 'ended')
    end
end
-- A listing that is over may be the last one that a contact knew.
news = news or n_listed > 0 and ended[1] ~= nil
