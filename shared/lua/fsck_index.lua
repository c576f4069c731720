-- Looks at entries of an index of an account: profiles, groups, rbls, contacts,
-- apps, hooks.
-- KEYS[1] acct:<AC>
-- ARGV    1 "1": mend  2 index  3... SIDs
-- Result  OK, faults
--- include: fsck_refs
--- include: alerts
--- use: profile contact
local index = ARGV[2]
local function look_at_entries(p)
    local left = {}
    for _, sid in ipairs(p[PROFILE.entries]) do
        if type(sid) == 'string'
            and (call('EXISTS', key('r', 'SYS', sid)) == 1
                or owns('rbls', sid))
        then
            left[#left + 1] = sid
        end
    end
    local n = #p[PROFILE.entries] - #left
    if n > 0 then
        fault('entries', p[PROFILE.id], 'names ' .. n
            .. ' lists that do not exist', function()
                p[PROFILE.entries] = left
                save(key('r', ac, p[PROFILE.id]), p)
            end)
    end
end
for i = 3, #ARGV do
    local sid = ARGV[i]
    local r = owns(index, sid) and read_entry(index, sid)
    if r and index == 'profiles' then
        look_at_entries(r)
    elseif r and index == 'contacts' then
        look_at_groups(sid, r[CONTACT.groups], ':c', function(groups)
            r[CONTACT.groups] = groups
            save(key('r', ac, sid), r)
            alerts_forget(ac)
        end)
    end
end
return out
