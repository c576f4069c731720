-- Looks at hosts of an account: what each refers to, what refers to it, whether
-- its listing is told where it must be, and whether its checks go on.
-- KEYS[1] acct:<AC>
-- ARGV    1 "1": mend  2... SIDs
-- Result  OK, faults
--- include: fsck_refs
--- include: due
--- include: fsck_host
--- use: host
for i = 2, #ARGV do
    local sid = ARGV[i]
    local h = owns('hosts', sid) and read_entry('hosts', sid)
    if h then
        look_at_references(h)
        look_at_parent(h)
        if h[HOST.type] == 'ip_range' then
            look_at_children(h)
        end
        look_at_listing(h)
        look_at_coverage(h)
        look_at_schedule(h)
    end
end
return out
