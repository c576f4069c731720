-- The delivery that the argument `member` names.
local member = ARG.member
local ac, ev, target = string.match(member, '^(%w+):(%w+):(%w+)$')
