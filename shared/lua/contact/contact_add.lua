-- Adds a contact, which is pending until it is confirmed by the code that is
-- sent to it.
-- KEYS[1] acct:<AC>
-- ARGV    1 contact SID  2 type  3 value  4 schedule  5 digest of the code
--         6 the code  7 event SID  8... group SIDs (none: the default one)
-- Result  OK, packed record | GROUP | GROUPS, max groups of a contact
--         | LIMIT, max contacts of the plan | CONTACTS, max contacts
--         | PLACES, max places of contacts in groups
--         | CODES, seconds until the address is sent one | ACCOUNT
--- include: account
--- include: groups
--- include: contact
local max_contacts = 1000
local a = load(KEYS[1])
if not a then
    return {'ACCOUNT'}
end
local groups, refused = groups_from(8)
if not groups then
    return refused
end
local contacts = key('contacts', ac)
local max, n = a[ACCOUNT.max_contacts], call('ZCARD', contacts)
if max > 0 and n >= max then
    return {'LIMIT', max}
end
if n >= max_contacts then
    return {'CONTACTS', max_contacts}
end
if #groups == 0 then
    groups[1] = a[ACCOUNT.group]
end
if not groups_room(#groups) then
    return {'PLACES', max_places}
end
local now = now_ms()
local sent, since = codes_sent(ARGV[2], ARGV[3], now)
if sent >= max_codes then
    return {'CODES', math.ceil((since + hour - now) / 1000)}
end
local c = {1, ARGV[1], ARGV[2], ARGV[3], ARGV[4], 'pending', groups, now, '',
    0, 0, 0}
contact_code(c, a, ARGV[5], ARGV[6], ARGV[7], now)
local raw = cmsgpack.pack(c)
call('SET', contact_key, raw)
call('ZADD', contacts, call('INCR', key('seq', ac)), ARGV[1])
groups_count('c', groups, 1)
refs_write()
return {'OK', raw}
