-- Changes some hosts of an account, one after the other, for about a
-- millisecond of the store.  Ranges are left to the calls that also change
-- their addresses.
--- key: acct  acct:<AC>
--- arg: action  pause, resume, delete, group, profile
--- arg: to  SIDs of the groups, with commas between them; of the profile; or ""
--- arg: keep  how long ended check records are kept (ms)
--- arg: hosts...  SIDs
--- audit
--- reply: OK left# changed[] was[] ranges[] of[] gone#  left: how many of the
--          last hosts were not looked at; changed: hosts that were changed;
--          was: their groups or profiles before, as `to`; ranges, of: the same
--          for ranges, which were not changed; gone: hosts that do not exist
--- reply: GROUP
--- reply: GROUPS max#  of a host
--- reply: PROFILE
--- reply: LAPSED  the plan of the account has expired: none is resumed
--- include: account
--- include: unchanged
--- include: host_turned
--- include: host_end
--- include: host_set
--- include: totals
--- include: look
--- include: clock
local slice = 700
local groups_most = 50
local action, status, set = ARG.action, nil, {}
if action == 'pause' or action == 'resume' then
    status = action == 'pause' and 'paused' or 'active'
    local a = status == 'active' and load(KEY.acct)
    if a and (a[ACCOUNT.lapsed] or 0) > 0 then
        return {'LAPSED'}
    end
elseif action == 'group' then
    local groups = {}
    for sid in string.gmatch(ARG.to, '[^,]+') do
        groups[#groups + 1] = sid
        if not owns('groups', sid) then
            return {'GROUP'}
        end
    end
    if not groups[1] then
        return {'GROUP'}
    elseif #groups > groups_most then
        return {'GROUPS', groups_most}
    end
    set[HOST.groups] = groups
elseif action == 'profile' then
    if not owns('profiles', ARG.to) then
        return {'PROFILE'}
    end
    set[HOST.profile] = ARG.to
end

local now, start, spent = now_ms(), clock(), 0
local function enough()
    return spent >= slice or clock() - start >= slice
end
-- The value of a host that the change replaces.
local function replaced(h)
    return action == 'group' and table.concat(h[HOST.groups], ',')
        or action == 'profile' and h[HOST.profile] or ''
end
-- sets: sets of groups whose contacts look at these hosts.
local sets, n_sets, ended, listed = {}, 0, 0, 0
local function look_at_groups(groups)
    local name = table.concat(groups)
    n_sets = n_sets + (sets[name] and 0 or 1)
    sets[name] = groups
end
local function change(k, h, order)
    if status then
        listed = listed + host_turned(k, h, status, now, order)
    elseif action == 'delete' then
        local sid, gone, unlisted = h[HOST.id],
            hosts_end({{k, h}}, ARG.keep)
        ended, listed = ended + gone, listed - unlisted
        if h[HOST.parent] ~= '' then
            range_loses(h[HOST.parent], {sid}, h[HOST.listed_count] > 0 and 1
                or 0)
        end
        look_at_groups(h[HOST.groups])
    else
        if action == 'group' then
            look_at_groups(h[HOST.groups])
        end
        host_set(h, set)
        save(k, h)
    end
end
local function is_so(h)
    if status then
        return h[HOST.status] == status
    end
    return action ~= 'delete' and replaced(h) == ARG.to
end

local changed, was, ranges, of, gone = {}, {}, {}, {}, 0
local at = ARG.hosts
hosts_change()
while ARGV[at] and n_sets < 16 and not (at > ARG.hosts and enough()) do
    local sid = ARGV[at]
    local k, order = key('r', ac, sid), owns('hosts', sid)
    local ok, h = pcall(load, k)
    if not order or not ok or type(h) ~= 'table' then
        gone = gone + 1
    elseif h[HOST.type] == 'ip_range' then
        ranges[#ranges + 1], of[#of + 1] = sid, replaced(h)
    elseif not is_so(h) then
        changed[#changed + 1], was[#was + 1] = sid, replaced(h)
        named = changed[2] and named or h[HOST.value]
        change(k, h, order)
        spent = spent + 25 + 2 * #h[HOST.details]
    end
    at = at + 1
end
refs_write()
totals_add(TOTALS.hosts, -ended)
totals_add(TOTALS.listed, listed)
if n_sets > 0 then
    sets.is = set[HOST.groups] or {}
    -- A damaged record of a contact does not stop the change.
    pcall(look_between, sets, '*')
end
if changed[1] then
    about = changed[1]
    named = named .. (changed[2] and ' +' .. #changed - 1 or '')
else
    by = nil
end
return {'OK', #ARGV - at + 1, changed, was, ranges, of, gone}
