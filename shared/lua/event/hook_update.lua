-- Changes a receiver.  With a new URL its failures are forgotten.
--- key: acct  acct:<AC>
--- arg: hook  SID of the receiver
--- arg: what  name, url, types
--- arg: value...  of types any number (none: all)
--- reply: OK record  packed
--- reply: HOOK  no such receiver
--- include: hook
local h = hook_load()
if not h then
    return {'HOOK'}
end
if ARG.what == 'types' then
    h[HOOK.types] = {}
    for i = ARG.value, #ARGV do
        h[HOOK.types][i - ARG.value + 1] = ARGV[i]
    end
elseif ARG.what == 'url' then
    h[HOOK.url] = ARGV[ARG.value]
    hook_forget()
else
    h[HOOK.name] = ARGV[ARG.value]
end
local raw = cmsgpack.pack(h)
call('SET', hook_key, raw)
return {'OK', raw}
