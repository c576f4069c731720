-- Compares the number of listed addresses in the record of a range with the
-- number that the caller counted.  The caller watches (WATCH) the record and
-- the range's set of addresses while it counts: every script that changes which
-- addresses there are, or whether one is listed, writes one of these keys.
--- key: acct  acct:<AC>
--- arg: mend  "1": mend
--- arg: range  SID
--- arg: listed  how many addresses are
--- reply: OK  then faults (_fsck.lua)
--- include: fsck_refs
--- include: due
--- include: fsck_host
local range, listed = ARG.range, tonumber(ARG.listed)
local h = owns('hosts', range) and read_sid(range)
if h and h[HOST.type] == 'ip_range' and h[HOST.listed_count] ~= listed then
    fault('count', range, 'counts ' .. h[HOST.listed_count]
        .. ' listed addresses, there are ' .. listed, function()
            set_count(h, listed)
            put_changed()
        end)
end
return out
