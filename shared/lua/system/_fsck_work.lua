-- Work of an account that is done in slices (_work.lua).
--- include: fsck
local function work_items()
    local items = {}
    for _, raw in ipairs(call('LRANGE', key('work', ac), 0, -1)) do
        items[#items + 1] = decoded(raw, 'WORK')
    end
    return items
end
-- Has the account an item with that id, of any version?
local function work_has(id)
    for _, raw in ipairs(call('LRANGE', key('work', ac), 0, -1)) do
        local item, why = decoded(raw, 'WORK')
        if why == 'newer' or item and item[WORK.id] == id then
            return true
        end
    end
    return false
end
-- The SIDs of hosts that are still to be made, whose values are taken.
local work_hosts
local function work_will_make(sid)
    if not work_hosts then
        work_hosts = {}
        for _, item in ipairs(work_items()) do
            local k = key('work', ac, item[WORK.id])
            for _, s in ipairs(type_of(k) == 'list'
                and call('LRANGE', k, 0, -1) or {})
            do
                work_hosts[s:sub(1, 34)] = true
            end
        end
    end
    return work_hosts[sid]
end
-- A daemon finishes what its request has left within seconds.
local longest_work = 600000
local function look_at_work()
    local list, now = key('work', ac), now_ms()
    for _, raw in ipairs(call('LRANGE', list, 0, -1)) do
        local item, why = decoded(raw, 'WORK')
        if why == 'damaged' then
            fault('damaged', 'work', 'an item of work cannot be read',
                command('LREM', list, 1, raw))
        elseif item and item[WORK.made] < now - longest_work then
            fault('work', item[WORK.kind], 'has waited for '
                .. math.floor((now - item[WORK.made]) / 1000)
                .. ' s: is there a daemon?', nil)
        end
    end
    if call('EXISTS', list) == 1 and not call('ZSCORE', key('works'), ac) then
        fault('turn', 'works', 'has work and no turn',
            command('ZADD', key('works'), now, ac))
    end
end
