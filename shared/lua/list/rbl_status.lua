-- Pauses or resumes a custom list.  A paused one stays in its profiles and is
-- not asked.  Doing it twice is no error and has no second effect.
-- KEYS[1] acct:<AC>
-- ARGV    1 list SID  2 status: active, paused
-- Result  OK | RBL | SYSTEM (not a custom one)
--- include: account
--- include: customs
local l, word = custom_list(ARGV[1])
if not l then
    return {word}
end
if l[LIST.status] ~= ARGV[2] then
    l[LIST.status] = ARGV[2]
    save(key('r', ac, ARGV[1]), l)
end
return {'OK'}
