-- The lists that a profile shall have: from ARGV[i] on, each once; nil if one
-- is neither a system list nor a custom one of the account.  Lists that it has
-- already (`had`) may stay, even if they were killed since.
--- include: work
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
