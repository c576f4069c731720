-- Steps of a script about an own list that exists: its record `l`.  One whose
-- deletion was accepted is none.
--- include: customs
--- takes: ac
--- sets: l named
local l = owns('rbls', ARG.list) and not work_targets('rbl_delete')[ARG.list]
    and load(key('r', ac, ARG.list))
if not l then
    return {call('ZSCORE', key('lists'), ARG.list) and 'SYSTEM' or 'RBL'}
end
named = l[LIST.zone]
