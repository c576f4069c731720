-- Counts how many contacts and hosts of an account use each profile and group:
-- hosts as "<RP>" and "<CG>:h", contacts as "<CG>:c", and the groups of all
-- contacts as "c"; hosts on a list as "<RB>:h", by their heaviest listing as
-- "w<weight>", listed ones of a group as "<CG>:l".
--- key: acct  acct:<AC>
--- arg: mend  not used
--- arg: what  "contacts" at first
--- arg: cursor  _fsck_walk.lua
--- arg: entries...  SIDs
--- reply: OK  then SIDs of ranges, and counts: uses, and "unknown" of records
--          that cannot be read
--- reply: MORE rest[]  then likewise
--- include: fsck_walk
-- An invalid SID counts nothing; it was reported.
local function count_use(sid, suffix)
    if type(sid) ~= 'string' then
        count('unknown', 1)
    elseif #sid <= 34 then
        count(sid .. suffix, 1)
    end
end
local function count_groups(groups, suffix)
    spent = spent + #groups
    for _, g in ipairs(groups) do
        count_use(g, suffix)
    end
end
-- As _listings.lua counts them.
local function count_listings(h)
    local heaviest = 0
    for _, l in ipairs(h[HOST.status] == 'active' and h[HOST.details] or {}) do
        local weight = type(l) == 'table' and tonumber(l[LISTING.counted]) or 0
        if weight > 0 then
            count_use(l[LISTING.list], ':h')
            heaviest = math.max(heaviest, weight)
        end
    end
    if heaviest > 0 then
        count('w' .. heaviest, 1)
        count_groups(h[HOST.groups], ':l')
    end
end
return walk(' contacts hosts', '*', function(index, sid)
    local r = read_sid(sid)
    spent = spent + 10
    if not r then
        count('unknown', type_of(record_key(sid)) == 'string' and 1 or 0)
    elseif index == 'contacts' then
        count_groups(r[CONTACT.groups], ':c')
        count('c', #r[CONTACT.groups])
    else
        count_use(r[HOST.profile], '')
        count_groups(r[HOST.groups], ':h')
        count_listings(r)
        spent = spent + #r[HOST.details]
        if r[HOST.type] == 'ip_range' then
            out[#out + 1] = {sid}
        end
    end
end, ac)
