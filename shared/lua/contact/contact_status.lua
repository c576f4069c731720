-- Pauses or resumes a contact that is confirmed.  Doing it twice is no error
-- and has no second effect.  One that is resumed is told of the listings it
-- knows that have ended meanwhile.
-- KEYS[1] acct:<AC>
-- ARGV    1 contact SID  2 status: active, paused
-- Result  OK | CONTACT | PENDING
--- include: account
--- include: contact
--- include: look
local c = contact_load()
if not c then
    return {'CONTACT'}
end
if c[CONTACT.status] == 'pending' then
    return {'PENDING'}
end
c[CONTACT.status] = ARGV[2]
save(contact_key, c)
hears_change(ARGV[1], c)
if ARGV[2] == 'active' then
    pcall(look_at, ARGV[1], '*')
end
return {'OK'}
