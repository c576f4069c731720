-- Gives an application a new token.  The older ones end, or stay valid until
-- they are revoked.
--- key: acct  acct:<AC>
--- arg: app  SID of the application
--- arg: field  of the token
--- arg: digest  of the token
--- arg: alone  "1": older tokens of the application end now
--- audit: app
--- reply: OK
--- reply: APP  no such application
--- reply: REVOKED  it is
--- reply: MOST most#  as many tokens as an application may have
--- reply: TOKENS most#  as many as the account may have
--- include: app_of
local most = 20
if app[APP.status] ~= 'active' then
    return {'REVOKED'}
end
local own = tokens_of(ARG.app)
if ARG.alone == '1' and own[1] then
    for _, e in ipairs(own) do
        token_end(e[1])
    end
elseif #own >= most then
    return {'MOST', most}
else
    local full = tokens_full()
    if full then
        return full
    end
end
token_new(ARG.field, ARG.digest, app)
return {'OK'}
