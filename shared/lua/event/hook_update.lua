-- Changes a receiver.  With a new URL its failures are forgotten.
-- KEYS[1] acct:<AC>
-- ARGV    1 receiver SID  2 what: name, url, types  3... the value; of types
--         any number (none: all)
-- Result  OK, packed record | HOOK
--- include: hook
local h = hook_load()
if not h then
    return {'HOOK'}
end
if ARGV[2] == 'types' then
    h[HOOK.types] = {}
    for i = 3, #ARGV do
        h[HOOK.types][i - 2] = ARGV[i]
    end
elseif ARGV[2] == 'url' then
    h[HOOK.url] = ARGV[3]
    hook_forget()
else
    h[HOOK.name] = ARGV[3]
end
local raw = cmsgpack.pack(h)
call('SET', hook_key, raw)
return {'OK', raw}
