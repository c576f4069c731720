-- The receiver that ARG.hook names.
--- include: account
local hook_key = key('s', ac, ARG.hook)
local function hook_load()
    return owns('hooks', ARG.hook) and load(hook_key)
end
-- Earlier failures do not count.
local function hook_forget()
    call('DEL', key('hook', ac, ARG.hook))
end
