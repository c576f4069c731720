-- Steps of check_finish: makes the current listings of a host of the results.
--
-- An unknown or skipped list keeps its listing.  A list that is no longer
-- queried has none.  Unknown results of a list are counted from one known
-- result to the next.
--- takes: answered before history_max is_pending listings n_before n_listed
--- takes: n_transitions n_unknown now pending_most places result_fields results
--- takes: transitions troubled troubled_before troubled_most unpack_limit
--- sets: answered at by_sid clear joined last_found n_listed n_results
--- sets: n_transitions n_unknown next_before only_listed started trouble
--- sets: unconfirmed
--- include: trouble
local function add_transition(list, zone, verdict, codes)
    n_transitions = n_transitions + 1
    transitions[n_transitions] = {list, zone, verdict, codes}
end
-- The listing that a list had; each is asked for once.  Results mostly come in
-- the order of the listings: from the first that does not, listings are found
-- by SID (false: its list has a result).
local by_sid, next_before = nil, 1
local function listing_before(sid)
    local l = before[next_before]
    if not by_sid and l and l[1] == sid then
        next_before = next_before + 1
        return l
    end
    if not by_sid then
        by_sid = {}
        for i = next_before, n_before do
            by_sid[before[i][1]] = before[i]
        end
    end
    l = by_sid[sid]
    by_sid[sid] = l and false
    return l
end
local trouble, joined, unconfirmed = {}, {}, {}
for _, t in ipairs(troubled_before or {}) do
    trouble[t[1]] = t
end
only_listed = true
local n_results, at = array_at(results, 0)
for _ = 1, n_results do
    local place, sid, zone, site, is, codes, text, error, _ = at
    at, sid, _, _, zone, site, is, codes, text, _, error =
        unpack_limit(results, result_fields, at + 1)
    local l = listing_before(sid)
    -- A custom list may have another zone now: that is another list.
    l = l and l[2] == zone and l
    if is == 'listed' and l then
        l[3], l[4], l[5] = site, text, codes
        l[7], l[8], l[9] = now, 0, 0
    elseif is == 'listed' then
        l = {sid, zone, site, text, codes, now, now, 0, 0}
        started = true
        if n_transitions < history_max then
            add_transition(sid, zone, 'listed', table.concat(codes, ','))
        end
    else
        local is_unknown, t = is == 'unknown', trouble[sid]
        only_listed = false
        answered = answered - 1
        n_unknown = n_unknown + (is_unknown and 1 or 0)
        if l and is_unknown then
            l[7], l[8] = l[7] or 0, (l[8] or 0) + 1
            l[9] = over_since(l[9] or 0, error)
        elseif not l and t then
            if is_unknown then
                t[2], t[4], t[5] = error, t[4] + 1, pending(t[5], error)
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
-- Clear lists mostly come in the order of the listings, too.
local clear, last_found = ARG.clear, 0
for i = by_sid and 1 or next_before, clear ~= '' and n_before or 0 do
    local sid = before[i][1]
    if (not by_sid or by_sid[sid]) and n_transitions < history_max then
        local _, found = string.find(clear, sid, last_found + 1, true)
        if not found and last_found > 0 then
            _, found = string.find(clear, sid, 1, true)
        end
        if found then
            last_found = found
            add_transition(sid, before[i][2], 'clear', '')
        end
    end
end
