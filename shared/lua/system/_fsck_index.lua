-- Profiles and contacts: what their records refer to.
--- include: fsck_refs
--- include: hears
--- use: profile contact
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
local function look_at_profile(p)
    local left = {}
    for _, sid in ipairs(p[PROFILE.entries]) do
        if is_list(sid) then
            left[#left + 1] = sid
        end
    end
    local n = #p[PROFILE.entries] - #left
    spent = spent + #p[PROFILE.entries] / 5 + n
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
    spent = spent + 2 * #c[CONTACT.groups]
    local function same(k)
        local score = type_of(k) == 'zset' and call('ZSCORE', k, sid)
        sound = sound and tonumber(score or nil) == class
    end
    same(key('hears', ac))
    for _, g in ipairs(c[CONTACT.groups]) do
        same(key('hears', ac, g))
    end
    if not sound then
        spent = spent + 200
        fault('hears', sid, 'is not told of hosts as its record says',
            function() hears_change(sid, c) end)
    end
end
local function look_at_contact(sid, c)
    if look_at_groups(sid, c[CONTACT.groups], ':c', function(groups)
        local before = c[CONTACT.groups]
        c[CONTACT.groups] = groups
        save(key('r', ac, sid), c)
        hears_change(sid, c, before)
    end) then
        look_at_hears(sid, c)
    end
end
