-- Marks a current listing of a host, or removes marks.  A mark that is set
-- already keeps its time and author.
--- key: acct  acct:<AC>
--- arg: host  SID
--- arg: list  SID
--- arg: asked  "1": its removal was asked for, "0": it was not, "": unchanged
--- arg: expected  "1", "0" or ""
--- arg: told  "1" if ticket is given
--- arg: ticket
--- audit: host
--- reply: OK marks  packed array with that of the listing, or empty
--- reply: HOST  no such host
--- reply: LISTING  the list does not list the host now
--- reply: MANY max#  marked listings of the host
--- reply: LIMIT max#  hosts with marked listings
--- include: host_of
--- include: marks
local listed = false
for _, l in ipairs(h[HOST.details]) do
    listed = listed or l[LISTING.list] == ARG.list
end
if not listed then
    return {'LISTING'}
end
local raw, now = call('HGET', key('marks', ac), ARG.host), now_ms()
local all, at = raw and cmsgpack.unpack(raw) or {}, 1
while all[at] and all[at][MARK.list] ~= ARG.list do
    at = at + 1
end
local m = all[at] or {ARG.list, 0, '', 0, '', '', 0, ''}
local changed = false
-- The author is in the field behind the time.
local function set(field, value)
    m[field] = value and now or 0
    m[field + 1] = value and caller[BY.name] or ''
    changed = true
end
if ARG.asked ~= '' and (ARG.asked == '1') ~= (m[MARK.asked] > 0) then
    set(MARK.asked, ARG.asked == '1')
end
if ARG.expected ~= '' and (ARG.expected == '1') ~= (m[MARK.expected] > 0) then
    set(MARK.expected, ARG.expected == '1')
end
if ARG.told == '1' and ARG.ticket ~= m[MARK.ticket] then
    m[MARK.ticket] = ARG.ticket
    set(MARK.ticketed, ARG.ticket ~= '')
end
local some = m[MARK.asked] > 0 or m[MARK.expected] > 0 or m[MARK.ticketed] > 0
if not changed then
    by = nil
elseif not some then
    table.remove(all, at)
    marks_set(ARG.host, all)
elseif at > marks_host then
    return {'MANY', marks_host}
elseif not raw and call('HLEN', key('marks', ac)) >= marks_hosts then
    return {'LIMIT', marks_hosts}
else
    all[at] = m
    marks_set(ARG.host, all)
end
return {'OK', some and cmsgpack.pack({m}) or '\144'}
