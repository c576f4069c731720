-- Looks whether an account has a default profile and a default contact group.
-- The oldest one takes the place of one that does not exist; where there is
-- none at all, one is made as for a new account.
--- key: acct  acct:<AC>
--- arg: mend  "1": mend
--- arg: profile  SID of a new one
--- arg: group  SID of a new one
--- reply: OK  then faults (_fsck.lua)
--- include: fsck
--- use: chosen
if call('EXISTS', KEY.acct) == 0 then
    return out
end
local chosen, why = read(key('chosen', ac), 'CHOSEN')
if why == 'newer' then
    return out
end
local function there(index, sid)
    return owns(index, sid) and (read_sid(sid) or newer(sid))
end
local function put(field, kind, make)
    local index, sid = indexes[kind]
    for _, other in ipairs(call('ZRANGE', key(index, ac), 0, -1)) do
        if read_sid(other) then
            sid = other
            break
        end
    end
    if not sid then
        local record = make()
        sid = record[2]
        save(key('r', ac, sid), record)
        call('ZADD', key(index, ac), call('INCR', key('seq', ac)), sid)
    end
    chosen[field] = sid
    totals_forget()
    save(key('chosen', ac), chosen)
end
local function profile_put()
    put(CHOSEN.profile, 'RP', function()
        return {1, ARG.profile, 'Default', 'active', 1, {}, now_ms()}
    end)
end
local function group_put()
    put(CHOSEN.group, 'CG', function()
        return {1, ARG.group, 'Default', now_ms()}
    end)
end
if not chosen then
    fault(why, 'chosen', why == 'missing' and 'does not exist'
        or 'cannot be read', function()
            chosen = {1, '', ''}
            profile_put()
            group_put()
        end)
    return out
end
local function look(index, sid, what, how)
    if not there(index, sid) then
        fault('default', sid, 'is the default ' .. what
            .. ' and does not exist', how)
    end
end
look('profiles', chosen[CHOSEN.profile], 'profile', profile_put)
look('groups', chosen[CHOSEN.group], 'contact group', group_put)
return out
