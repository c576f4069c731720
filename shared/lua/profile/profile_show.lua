-- Shows a monitoring profile.
--- key: acct  acct:<AC>
--- arg: profile  SID
--- reply: OK record chosen active[]  packed; the SID of the default profile;
--          SIDs of the active system lists
--- reply: PROFILE
--- reply: ACCOUNT  there is none
--- include: account
local chosen = load(key('chosen', ac))
if not chosen then
    return {'ACCOUNT'}
end
local raw = owns('profiles', ARG.profile)
    and call('GET', key('r', ac, ARG.profile))
return raw and {'OK', raw, chosen[CHOSEN.profile],
    call('ZRANGE', key('lists:active'), 0, -1)} or {'PROFILE'}
