-- The default profile and the default group of an account: those with which it
-- was made, until others are chosen (_choose.lua).
--- include: account
--- use: account chosen
local function chosen_in(a)
    local c = load(key('chosen', ac))
    if c then
        a[ACCOUNT.profile], a[ACCOUNT.group] = c[CHOSEN.profile],
            c[CHOSEN.group]
    end
end
