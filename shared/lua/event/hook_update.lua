-- Changes a receiver.  With a new URL its failures are forgotten.
--- key: acct  acct:<AC>
--- arg: hook  SID of the receiver
--- arg: name  "": it stays
--- arg: url  "": it stays
--- arg: typed  1: the types are given
--- arg: types...  of events (none: all)
--- audit: hook
--- reply: OK record  packed
--- reply: HOOK  no such receiver
--- include: hook_of
if ARG.name == '' and ARG.url == '' and ARG.typed ~= '1' then
    by = nil
end
if ARG.name ~= '' then
    h[HOOK.name] = ARG.name
end
-- No reader sees the query: a URL that is written back as it was shown stays.
local query = h[HOOK.url]:find('?', 1, true)
local shown = query and h[HOOK.url]:sub(1, query) .. '****'
if ARG.url ~= '' and ARG.url ~= h[HOOK.url] and ARG.url ~= shown then
    h[HOOK.url] = ARG.url
    hook_forget()
end
if ARG.typed == '1' then
    h[HOOK.types] = {}
    for i = ARG.types, #ARGV do
        h[HOOK.types][i - ARG.types + 1] = ARGV[i]
    end
end
local raw = cmsgpack.pack(h)
call('SET', hook_key, raw)
return {'OK', raw}
