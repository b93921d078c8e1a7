-- Φ = share + w·lift: NULL for an empty window, 0 for a group without tuples, share where w = 0.
CREATE OR REPLACE TEMPORARY FUNCTION _phi(n DOUBLE, m DOUBLE, share DOUBLE, lift DOUBLE, weight DOUBLE)
RETURNS DOUBLE
COMMENT 'The attribution.'
RETURN CASE WHEN n > 0D THEN
    CASE WHEN m = 0D THEN 0D ELSE share + CASE WHEN weight = 0D THEN 0D ELSE weight * lift END END
END;
