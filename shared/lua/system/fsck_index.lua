-- Looks at entries of an index of an account: profiles, groups, rbls, contacts,
-- apps, hooks, users, sources.
--- key: acct  acct:<AC>
--- arg: mend  "1": mend
--- arg: what  the index
--- arg: entries...  SIDs
--- reply: OK  then faults (_fsck.lua)
--- reply: MORE done#  how many entries it looked at; then faults
--- include: fsck_refs
--- include: hears
--- use: profile contact
local index, faults_most = ARG.what, 4
-- Profiles have the same lists: each is looked for once.
local lists = {}
local function is_list(sid)
    if lists[sid] == nil then
        lists[sid] = type(sid) == 'string'
            and (call('EXISTS', key('r', 'SYS', sid)) == 1
                or owns('rbls', sid)) and true or false
    end
    return lists[sid]
end
local function look_at_entries(p)
    local left = {}
    for _, sid in ipairs(p[PROFILE.entries]) do
        if is_list(sid) then
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
-- The groups' sets have the contact as it is; what they have beside their
-- contacts is found with the sets (fsck_keys).
local function look_at_hears(sid, c)
    local class, sound = hears_class(c), true
    local function same(k)
        local score = type_of(k) == 'zset' and call('ZSCORE', k, sid)
        sound = sound and tonumber(score or nil) == class
    end
    same(key('hears', ac))
    for _, g in ipairs(c[CONTACT.groups]) do
        same(key('hears', ac, g))
    end
    if not sound then
        fault('hears', sid, 'is not told of hosts as its record says',
            function() hears_change(sid, c) end)
    end
end
for i = ARG.entries, #ARGV do
    local sid = ARGV[i]
    local r = owns(index, sid) and read_entry(index, sid)
    if r and index == 'profiles' then
        look_at_entries(r)
    elseif r and index == 'contacts' then
        if look_at_groups(sid, r[CONTACT.groups], ':c', function(groups)
            local before = r[CONTACT.groups]
            r[CONTACT.groups] = groups
            save(key('r', ac, sid), r)
            hears_change(sid, r, before)
        end) then
            look_at_hears(sid, r)
        end
    end
    if #out > faults_most and i < #ARGV then
        more_after(i - ARG.entries + 1)
        break
    end
end
return out
