-- Changes a contact group.  The default one stays it until another is made the
-- default.
-- KEYS[1] acct:<AC>
-- ARGV    1 group SID  2 "1" if name is given  3 name
--         4 "1": it becomes the default, "0": it is not to be it, "": as it is
-- Result  OK | GROUP | DEFAULT | ACCOUNT
--- include: account_save
--- use: account group
local a = load(KEYS[1])
if not a then
    return {'ACCOUNT'}
end
local k = key('r', ac, ARGV[1])
local g = owns('groups', ARGV[1]) and load(k)
if not g then
    return {'GROUP'}
end
if ARGV[4] == '0' and a[ACCOUNT.group] == ARGV[1] then
    return {'DEFAULT'}
end
if ARGV[2] == '1' then
    g[GROUP.name] = ARGV[3]
    save(k, g)
end
if ARGV[4] == '1' then
    a[ACCOUNT.group] = ARGV[1]
    account_save(a)
end
return {'OK'}
