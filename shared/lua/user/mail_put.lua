-- Puts a user into the index of users by their mail address.
--- key: mail  mail:<hash>
--- arg: member  "<AC>:<US>"
--- arg: confirmed  when the address was (ms), or "0"
--- reply: OK
--- include: mail
mail_put(ARG.member, ARG.confirmed)
return {'OK'}
