-- Mutes a host, a range, a contact group, a list or the account, or a list
-- within a group: contacts are told nothing of it from a time on until the mute
-- ends, or at the times of a rule, which a daemon finds (mute_next.lua).  Some
-- may hold at a time, also of the same target.
--- key: acct  acct:<AC>
--- arg: mute  SID
--- arg: target  SID, or "": the account
--- arg: group  SID: the list `target` within this group, or ""
--- arg: begins  ms, or "": now
--- arg: ends  ms; "0": never
--- arg: rule  it is repeated (schema.txt), or "": it is not
--- arg: minutes  each time; or ""
--- arg: reason
--- arg: longest  ms
--- audit: mute
--- reply: OK record  packed
--- reply: TARGET  there is no such thing
--- reply: GROUP  likewise, or the target is no list
--- reply: PAST  it would end before it begins
--- reply: FAR max#  days until it may begin
--- reply: LONG max#  days
--- reply: LIMIT max#  mutes
--- reply: ACCOUNT
--- include: exists
--- include: mutes
local now, ends, target = now_ms(), tonumber(ARG.ends), ARG.target
local begins, rule = math.max(now, tonumber(ARG.begins) or now), ARG.rule
local longest = tonumber(ARG.longest)
local indexes = {HT = 'hosts', CG = 'groups', RB = 'rbls'}
local fields = {HT = HOST.name, CG = GROUP.name, RB = LIST.name}
-- The name of something; nil: there is no such thing.
local function name_of(sid)
    local kind = sid:sub(1, 2)
    local r = fields[kind] and (call('ZSCORE', key(indexes[kind], ac), sid)
        and load(key('r', ac, sid))
        or kind == 'RB' and load(key('r', 'SYS', sid))) or nil
    return r and r[fields[kind]]
end
local name, group = target == '' and '' or name_of(target), ''
if not name then
    return {'TARGET'}
elseif ARG.group ~= '' then
    group = target:sub(1, 2) == 'RB' and ARG.group:sub(1, 2) == 'CG'
        and name_of(ARG.group)
    if not group then
        return {'GROUP'}
    end
end
if ends <= begins and not (ends == 0 and rule ~= '') then
    return {'PAST'}
elseif begins > now + longest then
    return {'FAR', longest / 86400000}
elseif ends > now + longest and rule == '' then
    return {'LONG', longest / 86400000}
end
local mutes = key('mutes', ac)
if call('ZCARD', mutes) >= mutes_most then
    local old = call('ZRANGE', mutes, '-inf', now, 'BYSCORE', 'LIMIT', 0, 1)[1]
    if not old then
        return {'LIMIT', mutes_most}
    end
    call('ZREM', mutes, old)
    call('DEL', key('r', ac, old))
    if call('ZSCORE', key('unmutes'), ac .. ':' .. old) then
        mutes_done(old)
    end
end
named = name ~= '' and name or ARG.reason
local m = {1, ARG.mute, target, now, begins, ends, '', 0, 0, ARG.reason, name,
    caller[BY.name]}
if rule ~= '' then
    m[MUTE.begins], m[MUTE.ends] = tonumber(ARG.begins) or 0, 0
    m[MUTE.rule], m[MUTE.minutes] = rule, tonumber(ARG.minutes)
    m[MUTE.last] = ends
end
if ARG.group ~= '' then
    m[MUTE.group], m[MUTE.group_name] = ARG.group, group
end
mute_save(m)
return {'OK', cmsgpack.pack(m)}
