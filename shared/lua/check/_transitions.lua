-- Steps of check_finish: which listings begin and end.
-- transitions: each {list, zone, how, codes}.  how: "listed"; "clear", the list
-- no longer lists the host; "ended", it did not say so, and is no longer used
-- for the host.  began: how many listings begin; ended: those that end, as they
-- were, each {listing, how}; disused: one has ended as its list is not used.
--- takes: before n_before now past
--- sets: began disused ended n_transitions past_of relisted relisted_within
--- sets: transitions
local transitions, n_transitions = {}, 0
local began, ended, disused = 0, {}, false
local function add_transition(list, zone, how, codes)
    n_transitions = n_transitions + 1
    transitions[n_transitions] = {list, zone, how, codes}
end
local function add_end(l, how)
    add_transition(l[LISTING.list], l[LISTING.zone], how, '')
    ended[#ended + 1], disused = {l, how}, disused or how == 'ended'
end
local function end_all()
    for i = 1, n_before do
        add_end(before[i], 'ended')
    end
end
-- When a list that lists the host again had ended the listing before; 0: that
-- is not known.
local relisted_within = 7 * 86400000
local relisted, past_of = {}, nil
local function off_since(sid, zone)
    if not past_of then
        past_of = {}
        for _, p in ipairs(past or {}) do
            past_of[p[PAST.list]] = p
        end
    end
    local p = past_of[sid]
    relisted[sid] = p
    return p and p[PAST.zone] == zone and p[PAST.disused] == 0
        and p[PAST.till] > now - relisted_within and p[PAST.till] or 0
end
