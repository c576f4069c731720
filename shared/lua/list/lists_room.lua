-- Is there room in a partition for the lists of a file?
--- key: lists
--- arg: entries...  for each of the file its SID, with "-" before it if the
--          file kills that list
--- reply: OK
--- reply: FULL would# most#  how many lists there would be, how many there
--          may be
--- include: room
local new, gone = {}, {}
for i = ARG.entries, #ARGV do
    local killed, sid = string.match(ARGV[i], '^(-?)(.*)$')
    local set = killed == '' and new or gone
    set[sid] = true
end
return lists_full(new, gone) or {'OK'}
