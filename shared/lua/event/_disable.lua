-- Disables a receiver: changes its record `h`, which the caller saves.  Its
-- events become dead letters for a while.
local function disable(h, reason)
    h[HOOK.status] = 'disabled'
    h[HOOK.disabled] = now_ms()
    h[HOOK.reason] = reason
end
