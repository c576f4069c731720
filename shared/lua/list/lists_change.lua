-- An operator changes a system list: for the audit log of the operators, before
-- the scripts that change the list in each partition.
--- key: acct  acct:<AC> of the operators, in partition 0
--- arg: list  SID
--- arg: enable  "1": the change enables it
--- audit: list
--- reply: OK
--- reply: LIST  no such list
--- reply: KEYED  it needs a key, and only rblctl knows whether it has one
--- include: account
--- include: list_of
if ARG.enable == '1' and string.find(l[LIST.zone], '{key}', 1, true) then
    return {'KEYED'}
end
named = l[LIST.zone]
return {'OK'}
