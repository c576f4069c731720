-- Steps of check_finish: the host was stopped (_stopped.lua).  While the plan
-- is expired, it stays stopped and out of the schedule (`stays`); otherwise it
-- is stopped until a check does not fail.
--- takes: ac ht stays stopped_before unmoved
--- sets: a stays stopped
local a = load(key('acct', ac))
if (a and a[ACCOUNT.lapsed] or 0) > 0 then
    local place = tonumber(call('ZSCORE', key('hosts', ac), ht) or nil) or 0
    stays = place > a[ACCOUNT.kept]
end
stopped = (stays or unmoved) and stopped_before or 0
