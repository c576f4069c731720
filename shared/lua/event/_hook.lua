-- The receiver that ARGV[1] names.
--- include: account
--- use: hook
local hook_key = key('s', ac, ARGV[1])
local function hook_load()
    return owns('hooks', ARGV[1]) and load(hook_key)
end
-- What was known of its failures counts no more.
local function hook_forget()
    call('DEL', key('hook', ac, ARGV[1]))
end
