-- Checks a key of the index of users by their mail address: the place of a
-- user, or without one its type, and gives all users in it.
--- key: mail  mail:<hash>
--- arg: mend  "1": mend
--- arg: member  "<AC>:<US>", or ""
--- arg: confirmed  when the address was (ms), or "0"; "": the user has another
--          address, or is gone
--- arg: what  "mail"
--- arg: cursor  _fsck_walk.lua
--- arg: entries...
--- reply: OK  then faults (_fsck.lua), or users
--- reply: MORE rest[]  then likewise
--- include: fsck_walk
--- include: mail
local function drop(member)
    fault('mail', member, 'is no user with that mail address',
        command('ZREM', KEY.mail, member))
end
local function look(_, member)
    spent = spent + 5
    if #member == 69 and string.find(member, '^AC%x+:US%x+$') then
        out[#out + 1] = {member}
    else
        drop(member)
    end
end
local member, t = ARG.member, type_of(KEY.mail)
if member == '' and t ~= 'zset' then
    if t ~= 'none' then
        fault('type', KEY.mail, 'is not a zset', command('DEL', KEY.mail))
    end
elseif member == '' then
    return walk(' mail', '*', look, string.match(KEY.mail, '[^:]+$'))
elseif ARG.confirmed == '' then
    drop(member)
else
    local score = call('ZSCORE', KEY.mail, member)
    if not score or (score == 'inf') ~= (ARG.confirmed == '0') then
        ac = member:sub(1, 34)
        fault('mail', member:sub(36), "is not found by the user's mail address",
            function() mail_put(member, ARG.confirmed) end)
    end
end
return out
