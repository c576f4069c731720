-- Revokes an application: deletes all of its tokens, and marks its record.
--- key: acct  acct:<AC>
--- arg: app  SID of the application
--- audit: app
--- reply: OK ended#  how many tokens ended
--- reply: APP  no such application
--- include: app_of
local own = tokens_of(ARG.app)
for _, e in ipairs(own) do
    token_end(e[1])
end
app[APP.status] = 'revoked'
save(key('s', ac, ARG.app), app)
return {'OK', #own}
