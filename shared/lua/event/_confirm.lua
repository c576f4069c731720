-- Does the code with this digest still confirm the contact?
local function awaits(contact, digest)
    return contact and contact[CONTACT.status] == 'pending'
        and contact[CONTACT.digest] == digest
end
-- The secret of the link with this digest, if the link signs the user in for at
-- least so long (ms).
local function link_lives(ac, user, digest, least)
    local k = key('link', ac, (digest:sub(1, 8):gsub('.', function(c)
        return string.format('%02x', c:byte())
    end)))
    local link = load(k)
    return link and link[LINK.user] == user and link[LINK.digest] == digest
        and call('PTTL', k) > tonumber(least) and link[LINK.mailed]
end
