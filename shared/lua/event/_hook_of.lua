-- Steps of a script about a webhook receiver that exists: its record `h`.
--- include: hook
--- sets: h named
local h = hook_load()
if not h then
    return {'HOOK'}
end
named = h[HOOK.name]
