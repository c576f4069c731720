-- Looks at hosts of an account: what each refers to, what refers to it, whether
-- its listing is told where it must be, and whether its checks go on.  The
-- scripts fsck_kids and fsck_range look at the addresses of a range.
--- key: acct  acct:<AC>
--- arg: mend  "1": mend
--- arg: hosts...  SIDs
--- reply: OK  then faults (_fsck.lua)
--- reply: MORE done#  how many hosts it looked at; then faults
--- row: fault account kind where text mended#  as every fsck script tells it
--- include: fsck_refs
--- include: due
--- include: fsck_host
--- use: host
local listings, listings_most, faults_most = 0, 64, 20
for i = ARG.hosts, #ARGV do
    local sid = ARGV[i]
    local h = owns('hosts', sid) and read_entry('hosts', sid)
    if h then
        look_at_references(h)
        look_at_parent(h)
        look_at_listing(h)
        look_at_state(h)
        look_at_answers(h)
        look_at_schedule(h)
        put_changed()
        listings = listings + #h[HOST.details]
        if (listings >= listings_most or #out > faults_most) and i < #ARGV then
            more_after(i - ARG.hosts + 1)
            break
        end
    end
end
return out
