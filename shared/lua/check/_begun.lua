-- What check_begin (one check) and check_open (several) have in common.
--
-- Does the daemon still have the host?  A claimed host is due at the end of the
-- lease (text).
local function lease_holds(ht, till, now)
    return call('ZSCORE', key('due', ac), ht) == till and tonumber(till) > now
end
-- What the daemon gets to know of a host: its current listings, packed {SID,
-- zone, cleared}, or "".
local function begun_listings(details)
    if not details[1] then
        return ''
    end
    local entries = {}
    for i, l in ipairs(details) do
        entries[i] = {l[LISTING.list], l[LISTING.zone],
            l[LISTING.cleared] or 0}
    end
    return cmsgpack.pack(entries)
end
-- The SIDs of the lists that have trouble, and of those of them with a new
-- listing that is not confirmed, one after the other, or ""; and the answers.
local function begun_troubled(troubled, answers)
    if not troubled or not troubled[1] then
        return '', '', answers or ''
    end
    local sids, pending = {}, {}
    for i, t in ipairs(troubled) do
        sids[i] = t[TROUBLE.list]
        if t[TROUBLE.pending] == 1 then
            pending[#pending + 1] = sids[i]
        end
    end
    return table.concat(sids), table.concat(pending), answers or ''
end
