-- Which hosts of an account are checked.  If its plan has expired, those behind
-- the ones that are kept are not, and their records say so (_stopped.lua).
--- include: fsck
--- include: stopped
--- use: account host
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
