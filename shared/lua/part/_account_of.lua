-- Steps of a script that needs the record of its account: `a`.
--- include: account
--- sets: a named
local a = load(KEYS[1])
if not a then
    return {'ACCOUNT'}
end
named = a[ACCOUNT.name]
