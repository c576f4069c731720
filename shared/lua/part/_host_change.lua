-- Changes of one host, alone or as an address of a range.
--- include: account
--- include: groups
--- include: due
--- include: state
--- include: find
--- use: host
-- The index of names, when a host gets another one.
local function find_change(sid, value, was, name)
    local find = key('find', ac)
    local old_name, old_value = find_members(sid, value, was)
    local new_name, new_value = find_members(sid, value, name)
    call('ZREM', find, old_name)
    call('ZADD', find, 0, new_name)
    if old_value and not new_value then
        call('ZREM', find, old_value)
    elseif new_value and not old_value then
        call('ZADD', find, 0, new_value)
    end
end
-- `name`: nil leaves it; no `rp`, or no groups, likewise.
local function host_changed(k, h, name, rp, groups)
    if name and name ~= h[HOST.name] then
        find_change(h[HOST.id], h[HOST.value], h[HOST.name], name)
        h[HOST.name] = name
    end
    if rp ~= '' and h[HOST.profile] ~= rp then
        refs_later(h[HOST.profile], -1)
        refs_later(rp, 1)
        h[HOST.profile] = rp
    end
    if #groups > 0 then
        groups_count('h', h[HOST.groups], -1)
        groups_count('h', groups, 1)
        h[HOST.groups] = groups
    end
    save(k, h)
end
-- By how much the number of listings changes with the status.
local function host_turned(k, h, status, now)
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
    return state_move(sid, was, state_in(h), h[HOST.first_listed])
end
