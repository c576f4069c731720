-- Changes of one host, alone or as an address of a range.
--- include: account
--- include: due
--- include: state
--- include: find
--- use: host
-- The index of names, when a host gets another one.
local function find_change(sid, value, was, name)
    local find, id = key('find', ac), find_bytes(sid)
    was, name = string.lower(was), string.lower(name)
    if was == name then
        return
    end
    call('ZREM', find, 'n' .. was .. id)
    call('ZADD', find, '0', 'n' .. name .. id)
    if was == value then
        call('ZADD', find, '0', 'v' .. value .. id)
    elseif name == value then
        call('ZREM', find, 'v' .. value .. id)
    end
end
local function host_named(h, name)
    if name ~= h[HOST.name] then
        find_change(h[HOST.id], h[HOST.value], h[HOST.name], name)
        h[HOST.name] = name
    end
end
-- By how much the number of listings changes with the status.  `order`: of the
-- host in "hosts", or nil.
local function host_turned(k, h, status, now, order)
    if h[HOST.status] == status then
        return 0
    end
    local sid, was = h[HOST.id], state_in(h)
    local member = ac .. ':' .. sid
    -- A check that was begun keeps its lease, and ends.
    local begun = call('HEXISTS', key('flight:due'), member) == 1
    h[HOST.status] = status
    if status == 'paused' then
        h[HOST.next_check] = 0
        if not begun then
            due_never(sid)
        end
    elseif h[HOST.type] ~= 'ip_range' then
        h[HOST.next_check] = now
        if not begun and call('HEXISTS', key('flight'), member) == 0 then
            due_at(sid, now)
        end
    end
    save(k, h)
    local change = state_move(sid, was, state_in(h), h[HOST.first_listed],
        order)
    if (h[HOST.stopped] or 0) > 0 then
        --- include: state_stop
        state_stop(sid, state_in(h))
    end
    return change
end
