-- Mutes a host, a range, a contact group, a list or the account: contacts are
-- told nothing of it from a time on until the mute ends, or at the times of a
-- rule, which a daemon finds (mute_next.lua).  Several may hold at a time.
--- key: acct  acct:<AC>
--- arg: mute  SID
--- arg: target  SID, or "": the account
--- arg: begins  ms, or "": now
--- arg: ends  ms; "0": never
--- arg: rule  it is repeated (schema.txt), or "": it is not
--- arg: minutes  each time; or ""
--- arg: reason
--- arg: longest  ms
--- audit: mute
--- reply: OK record  packed
--- reply: TARGET  there is no such thing
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
local kind = target:sub(1, 2)
-- The record of what is muted; nil: there is none.
local function found()
    if not fields[kind] then
        return nil
    end
    return call('ZSCORE', key(indexes[kind], ac), target)
        and load(key('r', ac, target))
        or kind == 'RB' and load(key('r', 'SYS', target)) or nil
end
local name = ''
if target ~= '' then
    local r = found()
    if not r then
        return {'TARGET'}
    end
    name = r[fields[kind]]
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
mute_save(m)
return {'OK', cmsgpack.pack(m)}
