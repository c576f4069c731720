-- Steps: takes the packed record `raw` of a host apart.  `checked` begins at
-- `from`, `details` at `to`.  A table of all fields would cost more than all
-- else that these scripts do for a host.
--- takes: raw
--- sets: checked family first from groups htype listed next_check parent
--- sets: profile status to unknown value
local from, _, _, value, _, htype, family, parent, status, profile, groups =
    cmsgpack.unpack_limit(raw, HOST.checked - 1, 3)
local to, checked, first, listed, unknown, next_check =
    cmsgpack.unpack_limit(raw, HOST.details - HOST.checked, from)
