-- The lists that a profile shall have: from ARGV[i] on, each once; nil if one
-- is neither a system list nor a custom one of the account.  Lists that it has
-- already (`had`) may stay, even if they were killed since.
--- include: work
--- include: large
local function profile_entries(i, had)
    local out, seen, old, ends = {}, {}, {}, work_targets('rbl_delete')
    for _, sid in ipairs(had) do
        old[sid] = true
    end
    for j = i, #ARGV do
        local sid = ARGV[j]
        if not seen[sid] then
            if not old[sid] and not call('ZSCORE', key('lists'), sid)
                and (ends[sid] or not owns('rbls', sid))
            then
                return nil
            end
            seen[sid] = true
            out[#out + 1] = sid
        end
    end
    return out
end
-- The system lists that the profile shall leave out, which it else follows:
-- from ARGV[i] on, each once; nil if one is no system list.  Lists that it
-- leaves out already (`had`) may stay.
local function profile_except(i, had)
    local out, seen, old = {}, {}, {}
    for _, sid in ipairs(had) do
        old[sid] = true
    end
    for j = i, #ARGV do
        local sid = ARGV[j]
        if not seen[sid] then
            if not old[sid] and not call('ZSCORE', key('lists'), sid) then
                return nil
            end
            seen[sid] = true
            out[#out + 1] = sid
        end
    end
    return out
end
-- Gives the record p of a profile the lists from ARGV[i] on.  given: "1": it
-- has those; "2": it follows the system lists but those; else nothing is given.
-- Returns the word of a refusal, or nil.
local function profile_lists(p, given, i)
    local has, left_out = p[PROFILE.entries], p[PROFILE.except] or {}
    if given == '1' then
        has, left_out = profile_entries(i, has), {}
    elseif given == '2' then
        has, left_out = {}, profile_except(i, left_out)
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
