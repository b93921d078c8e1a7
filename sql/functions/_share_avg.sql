-- share = Σ_P y/N, from Σ_P (y−c).
CREATE OR REPLACE TEMPORARY FUNCTION _share_avg(n DOUBLE, m DOUBLE, a_p DOUBLE, center DOUBLE)
RETURNS DOUBLE
COMMENT 'The part of the group in AVG.'
RETURN (m * center + a_p) / n;
