-- Steps of a script whose account has to exist.
--- include: account
if call('EXISTS', KEYS[1]) == 0 then
    return {'ACCOUNT'}
end
