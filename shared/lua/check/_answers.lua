-- Steps: the field "answers" of a host (schema.txt) after a check that ends
-- now.  asks: of check_finish; "": it is not known which lists there were.
--- takes: asks now
--- sets: answers
local answers = asks == '' and '' or struct.pack('>BI3', now % 256,
    tonumber(asks:sub(1, 6), 16)) .. asks:sub(18 + (asks:byte(17) or 0))
