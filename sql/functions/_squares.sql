-- Σ_P (y−ȳ)² from sums about any centre; one tuple does not deviate from itself (NaN stays NaN).
CREATE OR REPLACE TEMPORARY FUNCTION _squares(n DOUBLE, a DOUBLE, m DOUBLE, a_p DOUBLE, b_p DOUBLE)
RETURNS DOUBLE
COMMENT 'The sum of (y - mean)² over the group.'
RETURN CASE WHEN n > 1D THEN greatest(b_p - (a / n) * (2D * a_p - m * (a / n)), 0D)
    ELSE b_p - b_p END;
