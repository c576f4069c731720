-- Shows a page of the monitoring profiles of an account.
--- key: acct  acct:<AC>
--- arg: first  rank
--- arg: last  rank
--- reply: OK total# profiles[] chosen active[]  packed records; the SID of the
--          default profile; SIDs of the active system lists
--- reply: ACCOUNT  there is none
--- include: account
local chosen = load(key('chosen', ac))
if not chosen then
    return {'ACCOUNT'}
end
local profiles, found = key('profiles', ac), {}
for _, rp in ipairs(call('ZRANGE', profiles, ARG.first, ARG.last)) do
    found[#found + 1] = call('GET', key('r', ac, rp)) or nil
end
return {'OK', call('ZCARD', profiles), found, chosen[CHOSEN.profile],
    call('ZRANGE', key('lists:active'), 0, -1)}
