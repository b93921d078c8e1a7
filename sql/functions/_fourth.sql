-- Σ(y−ȳ)⁴ = (kurtosis + 3)·M_2²/N; NaN where M_2² is infinite, as Spark divided by it.
CREATE OR REPLACE TEMPORARY FUNCTION _fourth(r DOUBLE COMMENT '1/n', b DOUBLE, kurtosis DOUBLE)
RETURNS DOUBLE
COMMENT 'The sum of (y - mean)⁴, from b, that of squares, and the kurtosis of Spark: NULL for equal values.'
RETURN (coalesce(kurtosis, -3D) + 3D) * (b * b * r);
