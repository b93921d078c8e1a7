-- share = Σ_P (y−ȳ)⁴ = M_4 + 4d·M_3 + 6d²·M_2 + m·d⁴ of the group's sums about its own mean.
CREATE OR REPLACE TEMPORARY FUNCTION _share_central4(b DOUBLE, m DOUBLE, d DOUBLE, own2 DOUBLE, own3 DOUBLE, own4 DOUBLE)
RETURNS DOUBLE
COMMENT 'The part of the group in the sum of (y - mean)⁴.'
RETURN CASE WHEN b = 0D THEN 0D ELSE own4 + d * (4D * own3 + d * (6D * own2 + m * d * d)) + 0D * b END;
