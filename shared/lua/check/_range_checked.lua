-- A check of an address of a range has finished.  checked: the new time of the
-- range; change: of its number of listed addresses; uncovered: 1, 0; false
-- leaves it.  goes: the address is no longer stopped.
--- include: range
--- include: host_field
local function range_checked(sid, checked, change, uncovered, goes)
    local k = base .. 'r:' .. ac .. ':' .. sid
    local raw = call('GET', k)
    local range = raw and cmsgpack.unpack(raw)
    if not range then
        return
    end
    if uncovered then
        host_field(range, HOST.uncovered, uncovered)
    end
    if goes and range[HOST.stopped] then
        range[HOST.stopped] = 0
    end
    range[HOST.checked] = checked or range[HOST.checked]
    if change ~= 0 then
        range_listed(range, change, checked)
    end
    call('SET', k, cmsgpack.pack(range))
end
