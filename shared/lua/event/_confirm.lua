-- Does the code of that digest still confirm the contact?
--- use: contact
local function awaits(contact, digest)
    return contact and contact[CONTACT.status] == 'pending'
        and contact[CONTACT.digest] == digest
end
