-- Gives an application a new token; the older ones end, or go on for a while
-- until they are revoked.
--- key: acct  acct:<AC>
--- arg: app  SID of the application
--- arg: field  of the token
--- arg: digest  of the token
--- arg: alone  "1": older tokens of the application end now
--- reply: OK
--- reply: APP  no such application, or revoked
--- include: app
local app = app_of(ARG.app)
if not app or app[APP.status] ~= 'active' then
    return {'APP'}
end
if ARG.alone == '1' then
    for _, e in ipairs(tokens_of(ARG.app)) do
        token_end(e[1])
    end
end
token_new(ARG.field, ARG.digest, app)
return {'OK'}
