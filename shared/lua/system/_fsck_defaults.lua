-- The default profile and the default contact group of an account.  The oldest
-- one takes the place of one that does not exist; where there is none at all,
-- one is made as for a new account, with the SID ARG.profile or ARG.group.
--- include: fsck
--- use: chosen
local defaults = {
    {field = CHOSEN.profile, index = 'profiles', what = 'profile',
        new = {1, ARG.profile, 'Default', 'active', 1, {}, now_ms()}},
    {field = CHOSEN.group, index = 'groups', what = 'contact group',
        new = {1, ARG.group, 'Default', now_ms()}},
}
local function choose(chosen, default)
    local sid
    for _, other in ipairs(call('ZRANGE', key(default.index, ac), 0, -1)) do
        if read_sid(other) then
            sid = other
            break
        end
    end
    if not sid then
        sid = default.new[2]
        save(key('r', ac, sid), default.new)
        call('ZADD', key(default.index, ac), call('INCR', key('seq', ac)), sid)
    end
    chosen[default.field] = sid
    totals_forget()
    save(key('chosen', ac), chosen)
end
local function look_at_defaults()
    local chosen, why = read(key('chosen', ac), 'CHOSEN')
    if why == 'newer' then
        return
    end
    if not chosen then
        fault(why, 'chosen', why == 'missing' and 'does not exist'
            or 'cannot be read', function()
                chosen = {1, '', ''}
                choose(chosen, defaults[1])
                choose(chosen, defaults[2])
            end)
        return
    end
    for _, default in ipairs(defaults) do
        local sid = chosen[default.field]
        if not (owns(default.index, sid) and (read_sid(sid) or newer(sid))) then
            fault('default', sid, 'is the default ' .. default.what
                .. ' and does not exist',
                function() choose(chosen, default) end)
        end
    end
end
