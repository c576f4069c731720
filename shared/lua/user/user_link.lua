-- Makes a link by which a user signs in.  Earlier links of the user stay valid.
--- key: acct  acct:<AC>
--- arg: user  SID
--- arg: field  of the link (16 hex)
--- arg: digest  of the link (32 bytes)
--- audit: user
--- reply: OK mail role confirmed#
--- reply: USER  no such user
--- include: user_of
link_new(ARG.field, ARG.digest, ARG.user)
return {'OK', user[USER.mail], user[USER.role], user[USER.confirmed] or 0}
