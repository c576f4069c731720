-- Looks whether an account has a default profile and a default contact group.
-- The oldest one takes the place of one that does not exist; where there is
-- none at all, one is made as for a new account.
-- KEYS[1] acct:<AC>
-- ARGV    1 "1": mend  2 a new profile SID  3 a new group SID
-- Result  OK, faults
--- include: fsck
--- use: account
local a = load(KEYS[1])
if not a then
    return out
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
                    totals_forget()
                    save(KEYS[1], a)
                    return
                end
            end
            local record = make()
            save(key('r', ac, record[2]), record)
            call('ZADD', key(index, ac), call('INCR', key('seq', ac)),
                record[2])
            a[field] = record[2]
            totals_forget()
            save(KEYS[1], a)
        end)
end
look(ACCOUNT.profile, 'RP', 'profile', function()
    return {1, ARGV[2], 'Default', 'active', 1, {}, now_ms()}
end)
look(ACCOUNT.group, 'CG', 'contact group', function()
    return {1, ARGV[3], 'Default', now_ms()}
end)
return out
