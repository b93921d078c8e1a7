-- share = Σ_P (y−ȳ)². Equal values do not deviate, whatever digits their averages lost.
CREATE OR REPLACE TEMPORARY FUNCTION _share_central2(b DOUBLE, m DOUBLE, d DOUBLE, own2 DOUBLE)
RETURNS DOUBLE
COMMENT 'The part of the group in the sum of (y - mean)²; d is the mean of the group minus that of all, own2 its sum about its own.'
RETURN CASE WHEN b = 0D THEN 0D ELSE own2 + m * d * d + 0D * b END;
