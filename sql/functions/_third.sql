-- Σ(y−ȳ)³ = skewness·√(M_2³/N); NaN where M_2³ is infinite, as Spark divided by it.
CREATE OR REPLACE TEMPORARY FUNCTION _third(r DOUBLE COMMENT '1/n', b DOUBLE, skewness DOUBLE)
RETURNS DOUBLE
COMMENT 'The sum of (y - mean)³, from b, that of squares, and the skewness of Spark: NULL for equal values.'
RETURN coalesce(skewness, 0D) * pow(b * b * b * r, 0.5D);
