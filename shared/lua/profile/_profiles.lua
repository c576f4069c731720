-- The lists that a profile has, or leaves out.
--- include: work
--- include: large
-- The SIDs from ARGV[i] on, each once; nil if is_list(sid) is not true of one.
-- Those that the profile names already (`had`) may stay, even if they were
-- killed since.
local function profile_names(i, had, is_list)
    local out, seen, old = {}, {}, {}
    for _, sid in ipairs(had) do
        old[sid] = true
    end
    for j = i, #ARGV do
        local sid = ARGV[j]
        if not seen[sid] then
            if not old[sid] and not is_list(sid) then
                return nil
            end
            seen[sid] = true
            out[#out + 1] = sid
        end
    end
    return out
end
local function profile_system(sid)
    return call('ZSCORE', key('lists'), sid)
end
-- Gives the record p of a profile the lists from ARGV[i] on.  given: "1": it
-- has those; "2": it follows the system lists but those; else nothing is given.
-- Returns the word of a refusal, or nil.
local function profile_lists(p, given, i)
    local has, left_out = p[PROFILE.entries], p[PROFILE.except] or {}
    if given == '1' then
        local ends = work_targets('rbl_delete')
        has, left_out = profile_names(i, has, function(sid)
            return profile_system(sid) or not ends[sid] and owns('rbls', sid)
        end), {}
    elseif given == '2' then
        has, left_out = {}, profile_names(i, left_out, profile_system)
    else
        return nil
    end
    if not has or not left_out then
        return has and 'EXCEPT' or 'ENTRIES'
    end
    p[PROFILE.uses_defaults] = given == '2' and 1 or 0
    p[PROFILE.entries] = has
    p[PROFILE.except] = left_out[1] and left_out or nil
    large('profiles', 36 * (#has + #left_out))
    return nil
end
