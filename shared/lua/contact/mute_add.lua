-- Mutes a host, a range, a contact group, a list or the account: contacts are
-- told nothing of it until the mute ends.  Several may hold at a time.
--- key: acct  acct:<AC>
--- arg: mute  SID
--- arg: target  SID, or "": the account
--- arg: ends  ms
--- arg: reason
--- arg: longest  ms
--- audit: mute
--- reply: OK record  packed
--- reply: TARGET  there is no such thing
--- reply: PAST  it would end before it began
--- reply: LONG max#  days
--- reply: LIMIT max#  mutes
--- reply: ACCOUNT
--- include: exists
--- include: mutes
local now, ends, target = now_ms(), tonumber(ARG.ends), ARG.target
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
if ends <= now then
    return {'PAST'}
elseif ends > now + tonumber(ARG.longest) then
    return {'LONG', tonumber(ARG.longest) / 86400000}
end
local mutes = key('mutes', ac)
if call('ZCARD', mutes) >= mutes_most then
    local old = call('ZRANGE', mutes, '-inf', now, 'BYSCORE', 'LIMIT', 0, 1)[1]
    if not old then
        return {'LIMIT', mutes_most}
    end
    call('ZREM', mutes, old)
    call('DEL', key('r', ac, old))
end
named = name ~= '' and name or ARG.reason
local raw = cmsgpack.pack({1, ARG.mute, target, now, ends, ARG.reason, name,
    caller[BY.name]})
call('SET', key('r', ac, ARG.mute), raw)
call('ZADD', mutes, tostring(ends), ARG.mute)
-- One that has ended may still wait for its turn.
call('ZADD', key('unmutes'), 'LT', tostring(ends), ac)
return {'OK', raw}
