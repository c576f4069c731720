-- The passkeys of the user that the argument `user` names.
--- include: user
local passkeys = key('keys', ac, ARG.user)
local function passkey_load()
    local raw = call('HGET', passkeys, ARG.passkey)
    return raw and cmsgpack.unpack(raw)
end
local function passkey_save(passkey)
    call('HSET', passkeys, ARG.passkey, cmsgpack.pack(passkey))
end
