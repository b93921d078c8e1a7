-- share = Σ_P y, from Σ_P (y−c).
CREATE OR REPLACE TEMPORARY FUNCTION _share_sum(m DOUBLE, a_p DOUBLE, center DOUBLE)
RETURNS DOUBLE
COMMENT 'The part of the group in SUM.'
RETURN m * center + a_p;
