-- Looks whether an account has a default profile and a default contact group.
-- The oldest one takes the place of one that does not exist; where there is
-- none at all, one is made as for a new account.
--- key: acct  acct:<AC>
--- arg: mend  "1": mend
--- arg: profile  SID of a new one
--- arg: group  SID of a new one
--- reply: OK  then faults (_fsck.lua)
--- include: fsck
--- use: account chosen
local a = load(KEY.acct)
if not a then
    return out
end
local chosen, why = read(key('chosen', ac), 'CHOSEN')
if why == 'damaged' then
    fault('damaged', 'chosen', 'cannot be read', function()
        totals_forget()
        call('DEL', key('chosen', ac))
    end)
elseif chosen then
    a[ACCOUNT.profile], a[ACCOUNT.group] = chosen[CHOSEN.profile],
        chosen[CHOSEN.group]
end
local function put()
    totals_forget()
    if chosen then
        save(key('chosen', ac), {1, a[ACCOUNT.profile], a[ACCOUNT.group]})
    else
        save(KEY.acct, a)
    end
end
local function look(field, kind, what, make)
    local index, sid = indexes[kind], a[field]
    if owns(index, sid) and (read_sid(sid) or newer(sid)) then
        return
    end
    fault('default', sid, 'is the default ' .. what .. ' and does not exist',
        function()
            local all = call('ZRANGE', key(index, ac), 0, -1)
            for _, other in ipairs(all) do
                if read_sid(other) then
                    a[field] = other
                    return put()
                end
            end
            local record = make()
            save(key('r', ac, record[2]), record)
            call('ZADD', key(index, ac), call('INCR', key('seq', ac)),
                record[2])
            a[field] = record[2]
            put()
        end)
end
look(ACCOUNT.profile, 'RP', 'profile', function()
    return {1, ARG.profile, 'Default', 'active', 1, {}, now_ms()}
end)
look(ACCOUNT.group, 'CG', 'contact group', function()
    return {1, ARG.group, 'Default', now_ms()}
end)
return out
