-- share = Σ_P (y−ȳ)³ = M_3 + 3d·M_2 + m·d³ of the group's sums about its own mean, d from ȳ.
CREATE OR REPLACE TEMPORARY FUNCTION _share_central3(b DOUBLE, m DOUBLE, d DOUBLE, own2 DOUBLE, own3 DOUBLE)
RETURNS DOUBLE
COMMENT 'The part of the group in the sum of (y - mean)³.'
RETURN CASE WHEN b = 0D THEN 0D ELSE own3 + d * (3D * own2 + m * d * d) + 0D * b END;
