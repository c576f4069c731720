-- Work on the hosts of a subnet or of a range.  Each function does a piece of
-- an item and returns whether the item is over, and about how many microseconds
-- of the store the piece took.
--- include: work
--- include: host_put
--- include: host_end
--- include: host_turned
--- include: host_set
--- include: look
local work_gone, work_unlisted, work_new = 0, 0, 0
-- The record of a host, or nil: there is none that can be read.
local function work_host(sid)
    local k = key('r', ac, sid)
    local ok, h = pcall(load, k)
    return ok and type(h) == 'table' and h or nil, k
end
-- name, type, family, range or "", what else is set (_host_set.lua); what is
-- left is in "work:<AC>:<id>": SID and value in one text.
local function work_host_add(item)
    local name, type, family, range, set = unpack(item[WORK.args])
    local new = {}
    for i, s in ipairs(call('LPOP', key('work', ac, item[WORK.id]), 16) or {})
    do
        local value = s:sub(35)
        new[i] = {s:sub(1, 34), value, range ~= '' and name .. ' ' .. value
            or name, type, range}
    end
    if new[1] then
        local before = tonumber(item[WORK.cursor]) or 0
        hosts_put(new, family, set, item[WORK.made], before)
        item[WORK.cursor] = tostring(before + #new)
        work_new = work_new + #new
    end
    return #new < 16, 10 + 10 * #new
end
-- range, what is set (_host_set.lua).  The range comes first; its groups before
-- are kept for the end.
local function work_host_update(item)
    local range, set, was = unpack(item[WORK.args])
    local name, groups = set[HOST.name], set[HOST.groups] or {}
    local h, k = work_host(range)
    if not h then
        return true, 10
    end
    if not was then
        item[WORK.args][3] = h[HOST.groups]
        host_set(h, set)
        save(k, h)
        return false, 20
    end
    local sets, usual, is = {is = groups}, table.concat(was),
        table.concat(groups)
    local kids, more = work_page(key('kids', ac, range), item, 9)
    for _, sid in ipairs(kids) do
        h, k = work_host(sid)
        if h then
            local before = table.concat(h[HOST.groups])
            if before ~= usual and before ~= is then
                sets[before] = h[HOST.groups]
            end
            set[HOST.name] = name and name .. ' ' .. h[HOST.value]
            host_set(h, set)
            save(k, h)
        end
    end
    set[HOST.name] = name
    if not more and usual ~= is then
        sets[usual] = was
    end
    -- Its addresses may be gone by then; those that were told are known.
    if #groups > 0 and next(sets, next(sets)) then
        pcall(look_between, sets, '?' .. range)
        pcall(look_between, sets, '*')
    end
    return not more, 20 + 10 * #kids
end
-- range, status
local function work_host_status(item)
    local range, status = unpack(item[WORK.args])
    local h, k = work_host(range)
    if not h then
        return true, 10
    end
    local now = now_ms()
    if item[WORK.cursor] == '' then
        host_turned(k, h, status, now)
    end
    local kids, more = work_page(key('kids', ac, range), item, 17)
    for _, sid in ipairs(kids) do
        h, k = work_host(sid)
        work_unlisted = work_unlisted
            - (h and host_turned(k, h, status, now) or 0)
    end
    return not more, 20 + 15 * #kids
end
-- range, how long ended check records are kept (ms).  The range goes last.
local function work_host_delete(item)
    local range, keep = unpack(item[WORK.args])
    local top, tk = work_host(range)
    local usual = top and table.concat(top[HOST.groups])
    local kids, ended, sets, listed = {}, {}, {}, 0
    local next_kids = call('ZRANGE', key('kids', ac, range), '0', '15')
    -- A host with many listings counts as several.
    local room = 16
    for i, sid in ipairs(next_kids) do
        local h, k = work_host(sid)
        kids[i] = sid
        if h then
            local groups = table.concat(h[HOST.groups])
            if groups ~= usual then
                sets[groups] = h[HOST.groups]
            end
            ended[#ended + 1] = {k, h}
            listed = listed + (h[HOST.listed_count] > 0 and 1 or 0)
            room = room - #h[HOST.details] / 25
        end
        room = room - 1
        if room <= 0 then
            break
        end
    end
    if not kids[1] and top then
        sets[usual] = top[HOST.groups]
        ended[1] = {tk, top}
    end
    if ended[1] then
        local gone, unlisted = hosts_end(ended, keep)
        work_gone = work_gone + gone
        work_unlisted = work_unlisted + unlisted
    end
    if kids[1] then
        range_loses(range, kids, listed)
    end
    -- A damaged record of a contact does not stop the deletion.
    if next(sets) then
        sets.none = {}
        pcall(look_between, sets, '*')
    end
    return not kids[1], 20 + 12 * #kids
end
