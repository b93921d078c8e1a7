-- Σ_P (y−ȳ)(x−x̄) from sums about any two centres; one tuple does not deviate from itself.
CREATE OR REPLACE TEMPORARY FUNCTION _products(n DOUBLE, a DOUBLE, a2 DOUBLE, m DOUBLE, a_p DOUBLE, a2_p DOUBLE, ab_p DOUBLE)
RETURNS DOUBLE
COMMENT 'The sum of (y - mean)(x - mean) over the group.'
RETURN CASE WHEN n > 1D THEN ab_p - (a / n) * a2_p - (a2 / n) * a_p + m * (a / n) * (a2 / n)
    ELSE ab_p - ab_p END;
