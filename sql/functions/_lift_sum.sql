-- lift = share − (m/N)·ν = Σ_P (y−ȳ): the centre cancels, so no digits are lost.
CREATE OR REPLACE TEMPORARY FUNCTION _lift_sum(n DOUBLE, a DOUBLE, m DOUBLE, a_p DOUBLE)
RETURNS DOUBLE
COMMENT 'By how much the group lifts SUM.'
RETURN a_p - m * (a / n);
