-- Φ of AVG (Khani & Assent, Proposition 1) from window-merged sums about one common centre.
CREATE OR REPLACE TEMPORARY FUNCTION shapley_avg_from_sums(n DOUBLE, a DOUBLE, m DOUBLE, a_p DOUBLE, center DOUBLE DEFAULT 0D)
RETURNS DOUBLE
COMMENT 'Shapley attribution of AVG to a group of m of the n tuples; a and a_p are sums of (y - center) over all and over the group.'
RETURN _phi(n, m, _share_avg(n, m, a_p, center), _lift_avg(n, a, m, a_p), _weight_avg(n));
