-- Ends one token of an application.
--- key: acct  acct:<AC>
--- arg: app  SID of the application
--- arg: digits  the first ones of the token's field
--- audit: app
--- reply: OK field left#  its field, how many tokens are left
--- reply: APP  no such application
--- reply: TOKEN  none begins so
--- reply: MANY  several do
--- include: app_of
local own = tokens_of(ARG.app)
local field
for _, e in ipairs(own) do
    if e[1]:sub(1, #ARG.digits) == ARG.digits then
        if field then
            return {'MANY'}
        end
        field = e[1]
    end
end
if not field then
    return {'TOKEN'}
end
token_end(field)
return {'OK', field, #own - 1}
