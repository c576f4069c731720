-- Checks one host; `h` is its record, which is repaired in place: its
-- references, the indexes that it must be in, and whether its checks go on.
--- include: fsck_refs
--- include: fsck_value
--- include: due
--- include: unchanged
--- include: state_stop
--- include: stopped
--- include: find
-- A record may be large: put_changed() writes it once, after all repairs.
local changed
local function put(h)
    changed = h
end
local function put_changed()
    if changed then
        hosts_change()
        save(key('r', ac, changed[HOST.id]), changed)
        changed = nil
    end
end
local function look_at_references(h)
    local sid, uniq = h[HOST.id], key('uniq', ac)
    local other, has_it = other_host(h)
    if has_it then
        fault('twice', sid, 'is the same as ' .. other .. ': delete one', nil)
    elseif call('HGET', uniq, value_of(h)) ~= sid
        and not (other and newer(other))
    then
        fault('uniq', sid, 'is not known by its value',
            command('HSET', uniq, value_of(h), sid))
    end
    if not owns('profiles', h[HOST.profile]) then
        fault('profile', sid, 'has a profile that does not exist: '
            .. h[HOST.profile], function()
                refs_add(h[HOST.profile], -1)
                h[HOST.profile] = default_of(CHOSEN.profile)
                refs_add(h[HOST.profile], 1)
                put(h)
            end)
    end
    look_at_groups(sid, h[HOST.groups], ':h', function(groups)
        h[HOST.groups] = groups
        put(h)
    end)
end
local function set_count(h, n, since)
    h[HOST.listed_count] = n
    if n == 0 then
        h[HOST.first_listed] = 0
    elseif h[HOST.first_listed] == 0 then
        h[HOST.first_listed] = since or now_ms()
    end
    put(h)
end
local function look_at_parent(h)
    local sid, range = h[HOST.id], h[HOST.parent]
    if range == '' then
        return
    end
    local p = owns('hosts', range) and read_sid(range)
    if not p and newer(range) then
        return
    elseif not p or p[HOST.type] ~= 'ip_range' then
        fault('parent', sid, 'its range does not exist: ' .. range, function()
            h[HOST.parent] = ''
            put(h)
        end)
    elseif not call('ZSCORE', key('kids', ac, range), sid) then
        fault('kids', range, 'does not know its address ' .. sid,
            command('ZADD', key('kids', ac, range), owns('hosts', sid), sid))
    end
end
local function look_at_listing(h)
    local sid, range = h[HOST.id], h[HOST.type] == 'ip_range'
    local n, since = #h[HOST.details], nil
    for _, l in ipairs(h[HOST.details]) do
        local at = type(l) == 'table' and tonumber(l[6])
        since = at and math.min(since or at, at) or since
    end
    if not range and h[HOST.listed_count] ~= n then
        fault('count', sid, 'counts ' .. h[HOST.listed_count]
            .. ' listings, there are ' .. n, function()
                set_count(h, n, since)
            end)
    end
    local count = (range or mend) and h[HOST.listed_count] or n
    if (h[HOST.first_listed] > 0) ~= (count > 0) then
        fault('since', sid, count > 0 and 'is listed, but not told since when'
            or 'is not listed, but told since when', function()
                set_count(h, count, since)
            end)
    end
    local shown = call('ZSCORE', key('listed', ac), sid)
    local score = owns('hosts', sid)
    local show = not range and count > 0 and h[HOST.status] == 'active'
    if show and shown ~= score then
        fault('listed', sid, shown and 'is at a wrong place in the listings'
            or 'is listed and not in the listings', function()
                call('ZADD', key('listed', ac), score, sid)
                totals_forget()
            end)
    elseif shown and not show then
        fault('listed', sid, 'is in the listings and should not be',
            function()
                call('ZREM', key('listed', ac), sid)
                totals_forget()
            end)
    end
end
local function look_at_state(h)
    local sid, k = h[HOST.id], key('states', ac)
    local state = state_shown(state_in(h), h[HOST.stopped])
    local order = state == state_listed and h[HOST.first_listed]
        or tonumber(owns('hosts', sid))
    local score = state > 0 and state_score(state, order) or nil
    if tonumber(call('ZSCORE', k, sid) or nil) ~= score then
        fault('state', sid, score and 'is not counted in its state'
            or 'is clear, and counted in another state', function()
                if score then
                    call('ZADD', k, score, sid)
                else
                    call('ZREM', k, sid)
                end
            end)
    end
    local find, sound = key('find', ac), true
    for _, member in ipairs({find_address(sid, h[HOST.value]),
        find_members(sid, h[HOST.value], h[HOST.name])})
    do
        sound = sound and call('ZSCORE', find, member)
    end
    if not sound then
        fault('find', sid, 'is not found by its value, name or address',
            command('ZADD', find, unpack(find_add({}, sid, h[HOST.value],
                h[HOST.name]))))
    end
end
-- What its lists answered (rbl_answers.c); the next check says it again.
local answers_most = 1463
local function look_at_answers(h)
    local sid, a = h[HOST.id], h[HOST.answers] or ''
    local width = #a > 4 and a:byte(5) % 32
    if a ~= '' and (#a < 4 or #a > answers_most or width and (#a < 8
        or width > 0 and width < 5 or width > 10 and width ~= 24))
    then
        fault('answers', sid, 'does not say what its lists answered',
            function()
                h[HOST.answers] = ''
                put(h)
            end)
    end
end
-- The listings that ended, and whether the host flaps (_past.lua).  If they are
-- damaged, the record keeps none.
local function are_numbers(t, first, last)
    for i = first, last do
        if type(t[i]) ~= 'number' or t[i] > now_ms() + 60000 then
            return false
        end
    end
    return true
end
local function look_at_changes(h)
    local past, flap = h[HOST.past], h[HOST.flap]
    if past == nil and flap == nil then
        return
    end
    local sound = type(past) == 'table' and type(flap) == 'table'
        and (#flap == 0 or are_numbers(flap, FLAP.changed, FLAP.changes))
    for _, p in ipairs(sound and past or {}) do
        sound = sound and type(p) == 'table' and type(p[PAST.list]) == 'string'
            and type(p[PAST.zone]) == 'string'
            and are_numbers(p, PAST.since, PAST.disused)
    end
    if not sound then
        fault('changes', h[HOST.id], 'does not say how its listings changed',
            function()
                h[HOST.past], h[HOST.flap] = {}, {}
                put(h)
            end)
    end
end
-- Which hosts of an account are checked.  If its plan has expired, those behind
-- the ones that are kept are not, and their records say so (_stopped.lua).
local lapse_account = read(key('acct', ac), 'AC') or {}
-- Work on all hosts is under way, and some may not be as they should.
local lapse_busy = (lapse_account[ACCOUNT.lapsed] or 0) > 0
    and lapse_account[ACCOUNT.settled] ~= 1
for _, raw in ipairs(type_of(key('work', ac)) == 'list'
    and call('LRANGE', key('work', ac), 0, -1) or {})
do
    lapse_busy = lapse_busy or string.find(raw, 'host_stop', 1, true)
        or string.find(raw, 'host_go', 1, true)
end
-- Reports an active host of an expired plan that is due or not marked as
-- stopped.  Returns true if the host must not be checked.
local function look_at_lapse(h, due, begun)
    local sid = h[HOST.id]
    if not lapse_stops(lapse_account, sid) then
        return false
    end
    if not lapse_busy and (due and not begun
        or (h[HOST.stopped] or 0) == 0)
    then
        fault('lapse', sid, due and 'is due, and the plan has expired'
            or 'is not known to be stopped, and the plan has expired',
            function()
                put_changed()
                hosts_change()
                host_stop(key('r', ac, sid), h, lapse_account[ACCOUNT.lapsed])
            end)
    end
    return true
end
-- It is due when its record says, or at the end of a lease; that is not later
-- than the longest interval and a tenth of it (_due.lua).
local longest_wait = 33 * 86400000
local function look_at_time(h, due, begun)
    local sid, now = h[HOST.id], now_ms()
    local last = math.max(now, begun and 0 or h[HOST.next_check])
    last = math.min(last, now + longest_wait) + longest_lease
    if math.max(h[HOST.created], h[HOST.checked]) > now + 60000
        or due > last
    then
        fault('schedule', sid, 'has a time that the clock was ahead of',
            function()
                h[HOST.created] = math.min(h[HOST.created], now)
                h[HOST.checked] = math.min(h[HOST.checked], now)
                h[HOST.next_check] = now
                put(h)
                due_at(sid, now)
            end)
    end
end
-- An active host is due, or has a manual check, unless its plan has expired.
-- One whose check was begun by the schedule stays there until it ends, though
-- it was paused meanwhile.
local function look_at_schedule(h)
    local sid = h[HOST.id]
    local member = ac .. ':' .. sid
    local due = call('ZSCORE', key('due', ac), sid)
    local manual = call('HEXISTS', key('flight'), member) == 1
    local begun = call('HEXISTS', key('flight:due'), member) == 1
    local active = h[HOST.status] == 'active' and h[HOST.type] ~= 'ip_range'
    if manual and (due or begun) then
        fault('schedule', sid, 'is due while it has a manual check',
            function()
                due_never(sid)
                call('HDEL', key('flight:due'), member)
            end)
    elseif active and look_at_lapse(h, due, begun) then
        return
    elseif active and not due and not manual then
        if lapse_busy then
            return
        end
        fault('schedule', sid, 'is active, and no check of it is due',
            function()
                h[HOST.next_check] = now_ms()
                put(h)
                due_at(sid, h[HOST.next_check])
            end)
    elseif due and not active and not begun then
        fault('schedule', sid, 'is due, and should not be', function()
            due_never(sid)
        end)
    elseif due then
        look_at_time(h, tonumber(due), begun)
    end
end
local function look_at_host(h)
    look_at_references(h)
    look_at_parent(h)
    look_at_listing(h)
    look_at_state(h)
    look_at_answers(h)
    look_at_changes(h)
    look_at_schedule(h)
    put_changed()
    spent = spent + 25 + #h[HOST.groups] + 16 * #h[HOST.details]
        + 2 * #(h[HOST.past] or {})
end
