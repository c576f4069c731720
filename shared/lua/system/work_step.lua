-- Does the first items of an account's work, or a part of one, for nearly a
-- millisecond of the store.  Any program may call it; a repeated step has no
-- effect.
--- key: acct  acct:<AC>
--- arg: id  of an item, or ""
--- reply: OK over# left# dropped  over: 1 if that item is.  left: how many
--          items are.  dropped: what was wrong with another item, which was
--          dropped, or ""
--- reply: FAILED why  that item was dropped, now or in the last minute by
--          another caller
--- reply: KIND  a later release has added the first one, and it stays
--- include: work_hosts
--- include: work_list
--- include: work_lapse
--- include: unchanged
--- include: totals
--- include: clock
local slice = 800
local remember = 60000          -- ms
local kinds = {
    host_add = work_host_add, host_delete = work_host_delete,
    host_status = work_host_status, host_update = work_host_update,
    rbl_delete = work_rbl_delete, host_stop = work_host_stop,
    host_go = work_host_go,
}
local list, start, spent = key('work', ac), clock(), 0
local function enough()
    return spent >= slice or clock() - start >= slice
end
local function item_run(raw)
    local item, over, took = cmsgpack.unpack(raw), false, 0
    repeat
        over, took = kinds[item[WORK.kind]](item)
        spent = spent + took
    until over or enough()
    if over then
        call('LPOP', list)
        call('DEL', key('work', ac, item[WORK.id]))
    else
        call('LSET', list, 0, cmsgpack.pack(item))
    end
end
local function item_id(raw)
    local ok, item = pcall(cmsgpack.unpack, raw or '')
    return ok and type(item) == 'table' and tonumber(item[WORK.id]) or nil
end
-- An item that fails must not stop the others.  Another step may answer its
-- request, so the reason is kept in place of the item's data.  An item that
-- cannot be read counts as the one before the item behind it.
local function item_drop(raw, why)
    call('LPOP', list)
    local id = item_id(raw)
    local k = key('work', ac, id or 0)
    call('DEL', k)
    call('RPUSH', k, id and why or item_id(call('LINDEX', list, 0))
        or (tonumber(call('GET', key('seq', ac))) or 0) + 1)
    call('PEXPIRE', k, remember)
end
-- The reason why the item with this id was dropped, or nil.
local function item_dropped(id)
    local before = tonumber(call('LINDEX', key('work', ac, 0), 0))
    return call('LINDEX', key('work', ac, id), 0)
        or before and id < before and 'it could not be read'
end

local id, word, trouble = tonumber(ARG.id) or 0, 'OK', ''
local raw = call('LINDEX', list, 0)
if raw then
    hosts_change()
end
while raw do
    local ok, item = pcall(cmsgpack.unpack, raw)
    item = ok and type(item) == 'table' and item or {}
    if item[1] == 1 and not kinds[item[WORK.kind]] then
        word = 'KIND'
        break
    end
    local done, why = pcall(item_run, raw)
    if not done then
        trouble = type(why) == 'table' and why.err or tostring(why)
        item_drop(raw, trouble)
    end
    raw = call('LINDEX', list, 0)
    if not done or enough() then
        break
    end
end
refs_write()
totals_add(TOTALS.hosts, work_new - work_gone)
totals_add(TOTALS.listed, -work_unlisted)
local left = call('LLEN', list)
if left == 0 then
    call('ZREM', key('works'), ac)
else
    call('ZADD', key('works'), tostring(now_ms() + work_grace), ac)
end
local over = not raw or (item_id(raw) or 0) > id
if word ~= 'OK' and not (over and id > 0) then
    return {word, trouble}
end
local why = over and id > 0 and item_dropped(id)
if why then
    return {'FAILED', why}
end
return {'OK', over and 1 or 0, left, trouble}
