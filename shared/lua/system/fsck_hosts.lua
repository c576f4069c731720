-- Looks at hosts of an account: what each refers to, what refers to it, whether
-- its listing is told where it must be, and whether its checks go on.  The
-- scripts fsck_kids and fsck_range look at the addresses of a range.
--- key: acct  acct:<AC>
--- arg: mend  "1": mend
--- arg: what  "hosts"
--- arg: cursor  _fsck_walk.lua
--- arg: entries...  SIDs
--- reply: OK  then faults (_fsck.lua)
--- reply: MORE rest[]  then faults
--- row: fault account kind where text mended#  as every fsck script tells it
--- include: fsck_walk
--- include: fsck_refs
--- include: due
--- include: fsck_host
--- use: host
local function look(_, sid)
    local h = owns('hosts', sid) and read_entry('hosts', sid)
    spent = spent + 50
    if h then
        look_at_references(h)
        look_at_parent(h)
        look_at_listing(h)
        look_at_state(h)
        look_at_answers(h)
        look_at_schedule(h)
        put_changed()
        spent = spent + #h[HOST.groups] + 16 * #h[HOST.details]
    end
end
return walk(' hosts', '*', look, ac)
