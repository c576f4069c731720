-- Compares the number of listed addresses in the record of a range with the
-- number that the caller counted.  The caller watches (WATCH) the record and
-- the range's set of addresses while it counts: every script that changes which
-- addresses there are, or whether one is listed, writes one of these keys.
-- KEYS[1] acct:<AC>
-- ARGV    1 "1": mend  2 SID of the range  3 how many addresses are listed
-- Result  OK, faults
--- include: fsck_refs
--- include: due
--- include: fsck_host
--- use: host
local range, listed = ARGV[2], tonumber(ARGV[3])
local h = owns('hosts', range) and read_sid(range)
if h and h[HOST.type] == 'ip_range' and h[HOST.listed_count] ~= listed then
    fault('count', range, 'counts ' .. h[HOST.listed_count]
        .. ' listed addresses, there are ' .. listed, function()
            set_count(h, listed)
            put_changed()
        end)
end
return out
