-- lift = share − (m/N)·ν.
CREATE OR REPLACE TEMPORARY FUNCTION _lift(n DOUBLE, m DOUBLE, share DOUBLE, value DOUBLE)
RETURNS DOUBLE
COMMENT 'By how much the group lifts the value above its part by count.'
RETURN share - (m / n) * value;
