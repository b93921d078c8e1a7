-- lift = share − (m/N)·ν.
CREATE OR REPLACE TEMPORARY FUNCTION _lift_central(r DOUBLE, m DOUBLE, share DOUBLE, value DOUBLE)
RETURNS DOUBLE
COMMENT 'By how much the group lifts a central moment above its part by count; r is 1/n.'
RETURN share - m * r * value;
