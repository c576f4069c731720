-- Is there no list that a profile has for a host's type and family?  While the
-- store has no system lists that is not known, and false.
--- include: lists
local function none_applies(rp, htype, family)
    local profile = load(key('r', ac, rp))
    local _, n = lists_for(rp, htype, family, true)
    local _, system = lists_system(htype, family)
    return profile and n == 0 and call('EXISTS', key('defaults')) == 1
        and (system or profile[PROFILE.uses_defaults] ~= 1) and true or false
end
