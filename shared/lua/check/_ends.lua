-- Steps of check_finish: notes the ends of listings for the history.
--- takes: before history_max n_before n_transitions transitions
--- sets: n_transitions
local function add_end(l, how)
    -- how: "clear"; "ended": its list did not say so, it is no longer used.
    if n_transitions < history_max then
        n_transitions = n_transitions + 1
        transitions[n_transitions] = {l[LISTING.list], l[LISTING.zone], how, '',
            l[LISTING.since], l[LISTING.weight] or 0}
    end
end
local function end_all()
    for i = 1, n_before do
        add_end(before[i], 'ended')
    end
    return n_before > 0
end
