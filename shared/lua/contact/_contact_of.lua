-- Steps of a script about a contact that exists: its record `c`.
--- include: contact
--- takes: contact_key
--- sets: c named
local c = owns('contacts', ARG.contact) and load(contact_key)
if not c then
    return {'CONTACT'}
end
named = contact_name(c)
