-- The account that is dealt with just now, for scripts that deal with several.
local ac
