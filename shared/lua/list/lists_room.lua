-- Is there room in a partition for the lists of a file?
-- KEYS[1] lists
-- ARGV    for each entry of the file its SID, with "-" before it if the file
--         kills that list
-- Result  OK | FULL, how many lists there would be, how many there may be
--- include: base
--- include: room
local new, gone = {}, {}
for _, entry in ipairs(ARGV) do
    local killed, sid = string.match(entry, '^(-?)(.*)$')
    local set = killed == '' and new or gone
    set[sid] = true
end
return lists_full(new, gone) or {'OK'}
