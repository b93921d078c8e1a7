{# Made by `python -m shapwin.spark.dbt_macros`, mostly from sql/functions. #}

{# Of each statistic: the sums that it needs; Φ, and Φ with all its parts, over a struct s of
aggregates; and, over columns of sums, the value, share and weight of a row of the long table, and
its lift. #}
{% macro _closed_forms() %}
{% do return({
 "sum": {
  "needs": [
   "n",
   "m",
   "s",
   "s_p",
   "a",
   "a_p"
  ],
  "phi": "transform(array(named_struct('sum', 0D)), w -> transform(array(named_struct('m', s.m0, 's_p', coalesce(s.sum0, 0D), 'a_p', coalesce(s.m0 * (s.mean0 - s.mean), 0D))), t -> (CASE WHEN s.n > 0D THEN\n    CASE WHEN t.m = 0D THEN 0D WHEN w.sum = 0D THEN (t.s_p) ELSE (t.s_p) + w.sum * ((t.a_p - t.m * (0D / s.n))) END\nEND))[0])[0]",
  "explanation": "IF(s.n > 0D, transform(array(named_struct('sum', 0D, 'sum_value', IF(s.n > 0D, s.sum, NULL))), w -> transform(array(named_struct('m', s.m0, 's_p', coalesce(s.sum0, 0D), 'a_p', coalesce(s.m0 * (s.mean0 - s.mean), 0D))), t -> transform(array(named_struct('share', IF(t.m = 0D, 0D, t.s_p), 'lift', CAST(IF(t.m = 0D, 0D, (t.a_p - t.m * (0D / s.n))) AS DOUBLE))), u -> named_struct('statistic', 'sum', 'n', CAST(s.n AS BIGINT), 'value', CAST(w.sum_value AS DOUBLE), 'm', CAST(t.m AS BIGINT), 'phi', (CASE WHEN s.n > 0D THEN\n    CASE WHEN t.m = 0D THEN 0D WHEN w.sum = 0D THEN u.share ELSE u.share + w.sum * u.lift END\nEND), 'share', CAST(u.share AS DOUBLE), 'lift', u.lift, 'weight', CAST(w.sum AS DOUBLE)))[0])[0])[0], NULL)",
  "split": "named_struct('statistic', 'sum', 'value', s, 'share', CAST(s_p AS DOUBLE), 'weight', 0D)",
  "lift": "(a_p - m * (a / n))"
 },
 "count": {
  "needs": [
   "n",
   "m"
  ],
  "phi": "transform(array(named_struct('count', 0D)), w -> transform(array(named_struct('m', s.m0)), t -> (CASE WHEN s.n > 0D THEN\n    CASE WHEN t.m = 0D THEN 0D WHEN w.count = 0D THEN (t.m) ELSE (t.m) + w.count * (0D) END\nEND))[0])[0]",
  "explanation": "IF(s.n > 0D, transform(array(named_struct('count', 0D, 'count_value', IF(s.n > 0D, s.n, NULL))), w -> transform(array(named_struct('m', s.m0)), t -> transform(array(named_struct('share', IF(t.m = 0D, 0D, t.m), 'lift', CAST(IF(t.m = 0D, 0D, 0D) AS DOUBLE))), u -> named_struct('statistic', 'count', 'n', CAST(s.n AS BIGINT), 'value', CAST(w.count_value AS DOUBLE), 'm', CAST(t.m AS BIGINT), 'phi', (CASE WHEN s.n > 0D THEN\n    CASE WHEN t.m = 0D THEN 0D WHEN w.count = 0D THEN u.share ELSE u.share + w.count * u.lift END\nEND), 'share', CAST(u.share AS DOUBLE), 'lift', u.lift, 'weight', CAST(w.count AS DOUBLE)))[0])[0])[0], NULL)",
  "split": "named_struct('statistic', 'count', 'value', n, 'share', CAST(m AS DOUBLE), 'weight', 0D)",
  "lift": "0D"
 },
 "avg": {
  "needs": [
   "n",
   "m",
   "center",
   "a",
   "a_p"
  ],
  "phi": "transform(array(named_struct('avg', (CASE WHEN s.n > 1D THEN s.n * ((CASE\n    WHEN s.n < 0D THEN NULL\n    WHEN s.n < 16D THEN element_at(\n        array(0D, 1D, 1.5D, 1.8333333333333333D, 2.0833333333333335D, 2.283333333333333D, 2.45D,\n              2.592857142857143D, 2.717857142857143D, 2.828968253968254D, 2.9289682539682538D,\n              3.019877344877345D, 3.103210678210678D, 3.180133755133755D, 3.2515623265623264D,\n              3.3182289932289932D),\n        CAST(s.n AS INT) + 1)\n    ELSE ln(s.n) + (0.5772156649015329D + (0.5D/s.n\n        - (1D/12 - (1D/120 - (1D/252 - (1D/240 - 1D/132/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n)))\nEND) - 1D) / (s.n - 1D) ELSE 0D END))), w -> transform(array(named_struct('m', s.m0, 'center', (s.mean + 0.0D), 'a_p', coalesce(s.m0 * (s.mean0 - s.mean), 0D))), t -> (CASE WHEN s.n > 0D THEN\n    CASE WHEN t.m = 0D THEN 0D WHEN w.avg = 0D THEN (((t.m * t.center + t.a_p) / s.n)) ELSE (((t.m * t.center + t.a_p) / s.n)) + w.avg * (((t.a_p - t.m * (0D / s.n)) / s.n)) END\nEND))[0])[0]",
  "explanation": "IF(s.n > 0D, transform(array(named_struct('avg', (CASE WHEN s.n > 1D THEN s.n * ((CASE\n    WHEN s.n < 0D THEN NULL\n    WHEN s.n < 16D THEN element_at(\n        array(0D, 1D, 1.5D, 1.8333333333333333D, 2.0833333333333335D, 2.283333333333333D, 2.45D,\n              2.592857142857143D, 2.717857142857143D, 2.828968253968254D, 2.9289682539682538D,\n              3.019877344877345D, 3.103210678210678D, 3.180133755133755D, 3.2515623265623264D,\n              3.3182289932289932D),\n        CAST(s.n AS INT) + 1)\n    ELSE ln(s.n) + (0.5772156649015329D + (0.5D/s.n\n        - (1D/12 - (1D/120 - (1D/252 - (1D/240 - 1D/132/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n)))\nEND) - 1D) / (s.n - 1D) ELSE 0D END), 'avg_value', IF(s.n > 0D, ((s.n * (s.mean + 0.0D) + 0D) / s.n), NULL))), w -> transform(array(named_struct('m', s.m0, 'center', (s.mean + 0.0D), 'a_p', coalesce(s.m0 * (s.mean0 - s.mean), 0D))), t -> transform(array(named_struct('share', IF(t.m = 0D, 0D, ((t.m * t.center + t.a_p) / s.n)), 'lift', CAST(IF(t.m = 0D, 0D, ((t.a_p - t.m * (0D / s.n)) / s.n)) AS DOUBLE))), u -> named_struct('statistic', 'avg', 'n', CAST(s.n AS BIGINT), 'value', CAST(w.avg_value AS DOUBLE), 'm', CAST(t.m AS BIGINT), 'phi', (CASE WHEN s.n > 0D THEN\n    CASE WHEN t.m = 0D THEN 0D WHEN w.avg = 0D THEN u.share ELSE u.share + w.avg * u.lift END\nEND), 'share', CAST(u.share AS DOUBLE), 'lift', u.lift, 'weight', CAST(w.avg AS DOUBLE)))[0])[0])[0], NULL)",
  "split": "named_struct('statistic', 'avg', 'value', ((n * center + a) / n), 'share', CAST(((m * center + a_p) / n) AS DOUBLE), 'weight', (CASE WHEN n > 1D THEN n * ((CASE\n    WHEN n < 0D THEN NULL\n    WHEN n < 16D THEN element_at(\n        array(0D, 1D, 1.5D, 1.8333333333333333D, 2.0833333333333335D, 2.283333333333333D, 2.45D,\n              2.592857142857143D, 2.717857142857143D, 2.828968253968254D, 2.9289682539682538D,\n              3.019877344877345D, 3.103210678210678D, 3.180133755133755D, 3.2515623265623264D,\n              3.3182289932289932D),\n        CAST(n AS INT) + 1)\n    ELSE ln(n) + (0.5772156649015329D + (0.5D/n\n        - (1D/12 - (1D/120 - (1D/252 - (1D/240 - 1D/132/(n*n))/(n*n))/(n*n))/(n*n))/(n*n)))\nEND) - 1D) / (n - 1D) ELSE 0D END))",
  "lift": "((a_p - m * (a / n)) / n)"
 },
 "var_pop": {
  "needs": [
   "n",
   "m",
   "a",
   "a_p",
   "b",
   "b_p"
  ],
  "phi": "transform(array(named_struct('var_pop', (CASE WHEN s.n > 2D\n    THEN (s.n * (s.n * ((CASE\n    WHEN s.n < 0D THEN NULL\n    WHEN s.n < 16D THEN element_at(\n        array(0D, 1D, 1.5D, 1.8333333333333333D, 2.0833333333333335D, 2.283333333333333D, 2.45D,\n              2.592857142857143D, 2.717857142857143D, 2.828968253968254D, 2.9289682539682538D,\n              3.019877344877345D, 3.103210678210678D, 3.180133755133755D, 3.2515623265623264D,\n              3.3182289932289932D),\n        CAST(s.n AS INT) + 1)\n    ELSE ln(s.n) + (0.5772156649015329D + (0.5D/s.n\n        - (1D/12 - (1D/120 - (1D/252 - (1D/240 - 1D/132/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n)))\nEND) - (CASE\n    WHEN s.n < 0D THEN NULL\n    WHEN s.n < 16D THEN element_at(\n        array(0D, 1D, 1.25D, 1.3611111111111112D, 1.4236111111111112D, 1.4636111111111112D,\n              1.4913888888888889D, 1.511797052154195D, 1.527422052154195D, 1.5397677311665408D,\n              1.5497677311665408D, 1.558032193976458D, 1.5649766384209025D, 1.5708937981842162D,\n              1.5759958390005426D, 1.580440283444987D),\n        CAST(s.n AS INT) + 1)\n    ELSE 1.6449340668482264D - (1D/s.n - (0.5D/(s.n*s.n)\n        - (1D/6 - (1D/30 - (1D/42 - (1D/30 - 5D/66/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n*s.n)))\nEND)) / (s.n - 1D)) - (s.n - 1D)) / (s.n - 2D)\n    ELSE 0D END), 'var_pop_value', IF(s.n > 0D, ((CASE WHEN s.n > 1D THEN greatest((s.n * s.var) - 2D * (0D / s.n) * 0D + s.n * (0D / s.n) * (0D / s.n), 0D)\n    ELSE (s.n * s.var) - (s.n * s.var) END) / s.n), NULL))), w -> transform(array(named_struct('m', s.m0, 'a_p', coalesce(s.m0 * (s.mean0 - s.mean), 0D), 'b_p', coalesce(s.m0 * (s.var0 + (s.mean0 - s.mean) * (s.mean0 - s.mean)), 0D))), t -> (CASE WHEN s.n > 0D THEN\n    CASE WHEN t.m = 0D THEN 0D WHEN w.var_pop = 0D THEN (((CASE WHEN s.n > 1D THEN greatest(t.b_p - 2D * (0D / s.n) * t.a_p + t.m * (0D / s.n) * (0D / s.n), 0D)\n    ELSE t.b_p - t.b_p END) / s.n)) ELSE (((CASE WHEN s.n > 1D THEN greatest(t.b_p - 2D * (0D / s.n) * t.a_p + t.m * (0D / s.n) * (0D / s.n), 0D)\n    ELSE t.b_p - t.b_p END) / s.n)) + w.var_pop * (((((CASE WHEN s.n > 1D THEN greatest(t.b_p - 2D * (0D / s.n) * t.a_p + t.m * (0D / s.n) * (0D / s.n), 0D)\n    ELSE t.b_p - t.b_p END) / s.n)) - (t.m / s.n) * w.var_pop_value)) END\nEND))[0])[0]",
  "explanation": "IF(s.n > 0D, transform(array(named_struct('var_pop', (CASE WHEN s.n > 2D\n    THEN (s.n * (s.n * ((CASE\n    WHEN s.n < 0D THEN NULL\n    WHEN s.n < 16D THEN element_at(\n        array(0D, 1D, 1.5D, 1.8333333333333333D, 2.0833333333333335D, 2.283333333333333D, 2.45D,\n              2.592857142857143D, 2.717857142857143D, 2.828968253968254D, 2.9289682539682538D,\n              3.019877344877345D, 3.103210678210678D, 3.180133755133755D, 3.2515623265623264D,\n              3.3182289932289932D),\n        CAST(s.n AS INT) + 1)\n    ELSE ln(s.n) + (0.5772156649015329D + (0.5D/s.n\n        - (1D/12 - (1D/120 - (1D/252 - (1D/240 - 1D/132/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n)))\nEND) - (CASE\n    WHEN s.n < 0D THEN NULL\n    WHEN s.n < 16D THEN element_at(\n        array(0D, 1D, 1.25D, 1.3611111111111112D, 1.4236111111111112D, 1.4636111111111112D,\n              1.4913888888888889D, 1.511797052154195D, 1.527422052154195D, 1.5397677311665408D,\n              1.5497677311665408D, 1.558032193976458D, 1.5649766384209025D, 1.5708937981842162D,\n              1.5759958390005426D, 1.580440283444987D),\n        CAST(s.n AS INT) + 1)\n    ELSE 1.6449340668482264D - (1D/s.n - (0.5D/(s.n*s.n)\n        - (1D/6 - (1D/30 - (1D/42 - (1D/30 - 5D/66/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n*s.n)))\nEND)) / (s.n - 1D)) - (s.n - 1D)) / (s.n - 2D)\n    ELSE 0D END), 'var_pop_value', IF(s.n > 0D, ((CASE WHEN s.n > 1D THEN greatest((s.n * s.var) - 2D * (0D / s.n) * 0D + s.n * (0D / s.n) * (0D / s.n), 0D)\n    ELSE (s.n * s.var) - (s.n * s.var) END) / s.n), NULL))), w -> transform(array(named_struct('m', s.m0, 'a_p', coalesce(s.m0 * (s.mean0 - s.mean), 0D), 'b_p', coalesce(s.m0 * (s.var0 + (s.mean0 - s.mean) * (s.mean0 - s.mean)), 0D))), t -> transform(array(named_struct('share', IF(t.m = 0D, 0D, ((CASE WHEN s.n > 1D THEN greatest(t.b_p - 2D * (0D / s.n) * t.a_p + t.m * (0D / s.n) * (0D / s.n), 0D)\n    ELSE t.b_p - t.b_p END) / s.n)), 'lift', CAST(IF(t.m = 0D, 0D, ((((CASE WHEN s.n > 1D THEN greatest(t.b_p - 2D * (0D / s.n) * t.a_p + t.m * (0D / s.n) * (0D / s.n), 0D)\n    ELSE t.b_p - t.b_p END) / s.n)) - (t.m / s.n) * w.var_pop_value)) AS DOUBLE))), u -> named_struct('statistic', 'var_pop', 'n', CAST(s.n AS BIGINT), 'value', CAST(w.var_pop_value AS DOUBLE), 'm', CAST(t.m AS BIGINT), 'phi', (CASE WHEN s.n > 0D THEN\n    CASE WHEN t.m = 0D THEN 0D WHEN w.var_pop = 0D THEN u.share ELSE u.share + w.var_pop * u.lift END\nEND), 'share', CAST(u.share AS DOUBLE), 'lift', u.lift, 'weight', CAST(w.var_pop AS DOUBLE)))[0])[0])[0], NULL)",
  "split": "named_struct('statistic', 'var_pop', 'value', ((CASE WHEN n > 1D THEN greatest(b - 2D * (a / n) * a + n * (a / n) * (a / n), 0D)\n    ELSE b - b END) / n), 'share', CAST(((CASE WHEN n > 1D THEN greatest(b_p - 2D * (a / n) * a_p + m * (a / n) * (a / n), 0D)\n    ELSE b_p - b_p END) / n) AS DOUBLE), 'weight', (CASE WHEN n > 2D\n    THEN (n * (n * ((CASE\n    WHEN n < 0D THEN NULL\n    WHEN n < 16D THEN element_at(\n        array(0D, 1D, 1.5D, 1.8333333333333333D, 2.0833333333333335D, 2.283333333333333D, 2.45D,\n              2.592857142857143D, 2.717857142857143D, 2.828968253968254D, 2.9289682539682538D,\n              3.019877344877345D, 3.103210678210678D, 3.180133755133755D, 3.2515623265623264D,\n              3.3182289932289932D),\n        CAST(n AS INT) + 1)\n    ELSE ln(n) + (0.5772156649015329D + (0.5D/n\n        - (1D/12 - (1D/120 - (1D/252 - (1D/240 - 1D/132/(n*n))/(n*n))/(n*n))/(n*n))/(n*n)))\nEND) - (CASE\n    WHEN n < 0D THEN NULL\n    WHEN n < 16D THEN element_at(\n        array(0D, 1D, 1.25D, 1.3611111111111112D, 1.4236111111111112D, 1.4636111111111112D,\n              1.4913888888888889D, 1.511797052154195D, 1.527422052154195D, 1.5397677311665408D,\n              1.5497677311665408D, 1.558032193976458D, 1.5649766384209025D, 1.5708937981842162D,\n              1.5759958390005426D, 1.580440283444987D),\n        CAST(n AS INT) + 1)\n    ELSE 1.6449340668482264D - (1D/n - (0.5D/(n*n)\n        - (1D/6 - (1D/30 - (1D/42 - (1D/30 - 5D/66/(n*n))/(n*n))/(n*n))/(n*n))/(n*n*n)))\nEND)) / (n - 1D)) - (n - 1D)) / (n - 2D)\n    ELSE 0D END))",
  "lift": "(share - (m / n) * value)"
 },
 "var_samp": {
  "needs": [
   "n",
   "m",
   "a",
   "a_p",
   "b",
   "b_p"
  ],
  "phi": "transform(array(named_struct('var_samp', (CASE WHEN s.n > 2D THEN (s.n * ((CASE\n    WHEN s.n < 0D THEN NULL\n    WHEN s.n < 16D THEN element_at(\n        array(0D, 1D, 1.5D, 1.8333333333333333D, 2.0833333333333335D, 2.283333333333333D, 2.45D,\n              2.592857142857143D, 2.717857142857143D, 2.828968253968254D, 2.9289682539682538D,\n              3.019877344877345D, 3.103210678210678D, 3.180133755133755D, 3.2515623265623264D,\n              3.3182289932289932D),\n        CAST(s.n AS INT) + 1)\n    ELSE ln(s.n) + (0.5772156649015329D + (0.5D/s.n\n        - (1D/12 - (1D/120 - (1D/252 - (1D/240 - 1D/132/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n)))\nEND) - 2D) + 1D) / (s.n - 2D) ELSE 0D END), 'var_samp_value', IF(s.n > 0D, ((CASE WHEN s.n > 1D THEN greatest((s.n * s.var) - 2D * (0D / s.n) * 0D + s.n * (0D / s.n) * (0D / s.n), 0D)\n    ELSE (s.n * s.var) - (s.n * s.var) END) / greatest(s.n - 1D, 1D)), NULL))), w -> transform(array(named_struct('m', s.m0, 'a_p', coalesce(s.m0 * (s.mean0 - s.mean), 0D), 'b_p', coalesce(s.m0 * (s.var0 + (s.mean0 - s.mean) * (s.mean0 - s.mean)), 0D))), t -> (CASE WHEN s.n > 0D THEN\n    CASE WHEN t.m = 0D THEN 0D WHEN w.var_samp = 0D THEN (((CASE WHEN s.n > 1D THEN greatest(t.b_p - 2D * (0D / s.n) * t.a_p + t.m * (0D / s.n) * (0D / s.n), 0D)\n    ELSE t.b_p - t.b_p END) / greatest(s.n - 1D, 1D))) ELSE (((CASE WHEN s.n > 1D THEN greatest(t.b_p - 2D * (0D / s.n) * t.a_p + t.m * (0D / s.n) * (0D / s.n), 0D)\n    ELSE t.b_p - t.b_p END) / greatest(s.n - 1D, 1D))) + w.var_samp * (((((CASE WHEN s.n > 1D THEN greatest(t.b_p - 2D * (0D / s.n) * t.a_p + t.m * (0D / s.n) * (0D / s.n), 0D)\n    ELSE t.b_p - t.b_p END) / greatest(s.n - 1D, 1D))) - (t.m / s.n) * w.var_samp_value)) END\nEND))[0])[0]",
  "explanation": "IF(s.n > 0D, transform(array(named_struct('var_samp', (CASE WHEN s.n > 2D THEN (s.n * ((CASE\n    WHEN s.n < 0D THEN NULL\n    WHEN s.n < 16D THEN element_at(\n        array(0D, 1D, 1.5D, 1.8333333333333333D, 2.0833333333333335D, 2.283333333333333D, 2.45D,\n              2.592857142857143D, 2.717857142857143D, 2.828968253968254D, 2.9289682539682538D,\n              3.019877344877345D, 3.103210678210678D, 3.180133755133755D, 3.2515623265623264D,\n              3.3182289932289932D),\n        CAST(s.n AS INT) + 1)\n    ELSE ln(s.n) + (0.5772156649015329D + (0.5D/s.n\n        - (1D/12 - (1D/120 - (1D/252 - (1D/240 - 1D/132/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n)))\nEND) - 2D) + 1D) / (s.n - 2D) ELSE 0D END), 'var_samp_value', IF(s.n > 0D, ((CASE WHEN s.n > 1D THEN greatest((s.n * s.var) - 2D * (0D / s.n) * 0D + s.n * (0D / s.n) * (0D / s.n), 0D)\n    ELSE (s.n * s.var) - (s.n * s.var) END) / greatest(s.n - 1D, 1D)), NULL))), w -> transform(array(named_struct('m', s.m0, 'a_p', coalesce(s.m0 * (s.mean0 - s.mean), 0D), 'b_p', coalesce(s.m0 * (s.var0 + (s.mean0 - s.mean) * (s.mean0 - s.mean)), 0D))), t -> transform(array(named_struct('share', IF(t.m = 0D, 0D, ((CASE WHEN s.n > 1D THEN greatest(t.b_p - 2D * (0D / s.n) * t.a_p + t.m * (0D / s.n) * (0D / s.n), 0D)\n    ELSE t.b_p - t.b_p END) / greatest(s.n - 1D, 1D))), 'lift', CAST(IF(t.m = 0D, 0D, ((((CASE WHEN s.n > 1D THEN greatest(t.b_p - 2D * (0D / s.n) * t.a_p + t.m * (0D / s.n) * (0D / s.n), 0D)\n    ELSE t.b_p - t.b_p END) / greatest(s.n - 1D, 1D))) - (t.m / s.n) * w.var_samp_value)) AS DOUBLE))), u -> named_struct('statistic', 'var_samp', 'n', CAST(s.n AS BIGINT), 'value', CAST(w.var_samp_value AS DOUBLE), 'm', CAST(t.m AS BIGINT), 'phi', (CASE WHEN s.n > 0D THEN\n    CASE WHEN t.m = 0D THEN 0D WHEN w.var_samp = 0D THEN u.share ELSE u.share + w.var_samp * u.lift END\nEND), 'share', CAST(u.share AS DOUBLE), 'lift', u.lift, 'weight', CAST(w.var_samp AS DOUBLE)))[0])[0])[0], NULL)",
  "split": "named_struct('statistic', 'var_samp', 'value', ((CASE WHEN n > 1D THEN greatest(b - 2D * (a / n) * a + n * (a / n) * (a / n), 0D)\n    ELSE b - b END) / greatest(n - 1D, 1D)), 'share', CAST(((CASE WHEN n > 1D THEN greatest(b_p - 2D * (a / n) * a_p + m * (a / n) * (a / n), 0D)\n    ELSE b_p - b_p END) / greatest(n - 1D, 1D)) AS DOUBLE), 'weight', (CASE WHEN n > 2D THEN (n * ((CASE\n    WHEN n < 0D THEN NULL\n    WHEN n < 16D THEN element_at(\n        array(0D, 1D, 1.5D, 1.8333333333333333D, 2.0833333333333335D, 2.283333333333333D, 2.45D,\n              2.592857142857143D, 2.717857142857143D, 2.828968253968254D, 2.9289682539682538D,\n              3.019877344877345D, 3.103210678210678D, 3.180133755133755D, 3.2515623265623264D,\n              3.3182289932289932D),\n        CAST(n AS INT) + 1)\n    ELSE ln(n) + (0.5772156649015329D + (0.5D/n\n        - (1D/12 - (1D/120 - (1D/252 - (1D/240 - 1D/132/(n*n))/(n*n))/(n*n))/(n*n))/(n*n)))\nEND) - 2D) + 1D) / (n - 2D) ELSE 0D END))",
  "lift": "(share - (m / n) * value)"
 },
 "covar_pop": {
  "needs": [
   "n",
   "m",
   "a",
   "a_p",
   "a2",
   "a2_p",
   "ab",
   "ab_p"
  ],
  "phi": "transform(array(named_struct('covar_pop', (CASE WHEN s.n > 2D\n    THEN (s.n * (s.n * ((CASE\n    WHEN s.n < 0D THEN NULL\n    WHEN s.n < 16D THEN element_at(\n        array(0D, 1D, 1.5D, 1.8333333333333333D, 2.0833333333333335D, 2.283333333333333D, 2.45D,\n              2.592857142857143D, 2.717857142857143D, 2.828968253968254D, 2.9289682539682538D,\n              3.019877344877345D, 3.103210678210678D, 3.180133755133755D, 3.2515623265623264D,\n              3.3182289932289932D),\n        CAST(s.n AS INT) + 1)\n    ELSE ln(s.n) + (0.5772156649015329D + (0.5D/s.n\n        - (1D/12 - (1D/120 - (1D/252 - (1D/240 - 1D/132/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n)))\nEND) - (CASE\n    WHEN s.n < 0D THEN NULL\n    WHEN s.n < 16D THEN element_at(\n        array(0D, 1D, 1.25D, 1.3611111111111112D, 1.4236111111111112D, 1.4636111111111112D,\n              1.4913888888888889D, 1.511797052154195D, 1.527422052154195D, 1.5397677311665408D,\n              1.5497677311665408D, 1.558032193976458D, 1.5649766384209025D, 1.5708937981842162D,\n              1.5759958390005426D, 1.580440283444987D),\n        CAST(s.n AS INT) + 1)\n    ELSE 1.6449340668482264D - (1D/s.n - (0.5D/(s.n*s.n)\n        - (1D/6 - (1D/30 - (1D/42 - (1D/30 - 5D/66/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n*s.n)))\nEND)) / (s.n - 1D)) - (s.n - 1D)) / (s.n - 2D)\n    ELSE 0D END), 'covar_pop_value', IF(s.n > 0D, ((CASE WHEN s.n > 1D THEN (s.n * s.cov) - (0D / s.n) * 0D - (0D / s.n) * 0D + s.n * (0D / s.n) * (0D / s.n)\n    ELSE (s.n * s.cov) - (s.n * s.cov) END) / s.n), NULL))), w -> transform(array(named_struct('m', s.m0, 'a_p', coalesce(s.m0 * (s.mean0 - s.mean), 0D), 'a2_p', coalesce(s.m0 * (s.mean2_0 - s.mean2_), 0D), 'ab_p', coalesce(s.m0 * (s.cov0 + (s.mean0 - s.mean) * (s.mean2_0 - s.mean2_)), 0D))), t -> (CASE WHEN s.n > 0D THEN\n    CASE WHEN t.m = 0D THEN 0D WHEN w.covar_pop = 0D THEN (((CASE WHEN s.n > 1D THEN t.ab_p - (0D / s.n) * t.a2_p - (0D / s.n) * t.a_p + t.m * (0D / s.n) * (0D / s.n)\n    ELSE t.ab_p - t.ab_p END) / s.n)) ELSE (((CASE WHEN s.n > 1D THEN t.ab_p - (0D / s.n) * t.a2_p - (0D / s.n) * t.a_p + t.m * (0D / s.n) * (0D / s.n)\n    ELSE t.ab_p - t.ab_p END) / s.n)) + w.covar_pop * (((((CASE WHEN s.n > 1D THEN t.ab_p - (0D / s.n) * t.a2_p - (0D / s.n) * t.a_p + t.m * (0D / s.n) * (0D / s.n)\n    ELSE t.ab_p - t.ab_p END) / s.n)) - (t.m / s.n) * w.covar_pop_value)) END\nEND))[0])[0]",
  "explanation": "IF(s.n > 0D, transform(array(named_struct('covar_pop', (CASE WHEN s.n > 2D\n    THEN (s.n * (s.n * ((CASE\n    WHEN s.n < 0D THEN NULL\n    WHEN s.n < 16D THEN element_at(\n        array(0D, 1D, 1.5D, 1.8333333333333333D, 2.0833333333333335D, 2.283333333333333D, 2.45D,\n              2.592857142857143D, 2.717857142857143D, 2.828968253968254D, 2.9289682539682538D,\n              3.019877344877345D, 3.103210678210678D, 3.180133755133755D, 3.2515623265623264D,\n              3.3182289932289932D),\n        CAST(s.n AS INT) + 1)\n    ELSE ln(s.n) + (0.5772156649015329D + (0.5D/s.n\n        - (1D/12 - (1D/120 - (1D/252 - (1D/240 - 1D/132/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n)))\nEND) - (CASE\n    WHEN s.n < 0D THEN NULL\n    WHEN s.n < 16D THEN element_at(\n        array(0D, 1D, 1.25D, 1.3611111111111112D, 1.4236111111111112D, 1.4636111111111112D,\n              1.4913888888888889D, 1.511797052154195D, 1.527422052154195D, 1.5397677311665408D,\n              1.5497677311665408D, 1.558032193976458D, 1.5649766384209025D, 1.5708937981842162D,\n              1.5759958390005426D, 1.580440283444987D),\n        CAST(s.n AS INT) + 1)\n    ELSE 1.6449340668482264D - (1D/s.n - (0.5D/(s.n*s.n)\n        - (1D/6 - (1D/30 - (1D/42 - (1D/30 - 5D/66/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n*s.n)))\nEND)) / (s.n - 1D)) - (s.n - 1D)) / (s.n - 2D)\n    ELSE 0D END), 'covar_pop_value', IF(s.n > 0D, ((CASE WHEN s.n > 1D THEN (s.n * s.cov) - (0D / s.n) * 0D - (0D / s.n) * 0D + s.n * (0D / s.n) * (0D / s.n)\n    ELSE (s.n * s.cov) - (s.n * s.cov) END) / s.n), NULL))), w -> transform(array(named_struct('m', s.m0, 'a_p', coalesce(s.m0 * (s.mean0 - s.mean), 0D), 'a2_p', coalesce(s.m0 * (s.mean2_0 - s.mean2_), 0D), 'ab_p', coalesce(s.m0 * (s.cov0 + (s.mean0 - s.mean) * (s.mean2_0 - s.mean2_)), 0D))), t -> transform(array(named_struct('share', IF(t.m = 0D, 0D, ((CASE WHEN s.n > 1D THEN t.ab_p - (0D / s.n) * t.a2_p - (0D / s.n) * t.a_p + t.m * (0D / s.n) * (0D / s.n)\n    ELSE t.ab_p - t.ab_p END) / s.n)), 'lift', CAST(IF(t.m = 0D, 0D, ((((CASE WHEN s.n > 1D THEN t.ab_p - (0D / s.n) * t.a2_p - (0D / s.n) * t.a_p + t.m * (0D / s.n) * (0D / s.n)\n    ELSE t.ab_p - t.ab_p END) / s.n)) - (t.m / s.n) * w.covar_pop_value)) AS DOUBLE))), u -> named_struct('statistic', 'covar_pop', 'n', CAST(s.n AS BIGINT), 'value', CAST(w.covar_pop_value AS DOUBLE), 'm', CAST(t.m AS BIGINT), 'phi', (CASE WHEN s.n > 0D THEN\n    CASE WHEN t.m = 0D THEN 0D WHEN w.covar_pop = 0D THEN u.share ELSE u.share + w.covar_pop * u.lift END\nEND), 'share', CAST(u.share AS DOUBLE), 'lift', u.lift, 'weight', CAST(w.covar_pop AS DOUBLE)))[0])[0])[0], NULL)",
  "split": "named_struct('statistic', 'covar_pop', 'value', ((CASE WHEN n > 1D THEN ab - (a / n) * a2 - (a2 / n) * a + n * (a / n) * (a2 / n)\n    ELSE ab - ab END) / n), 'share', CAST(((CASE WHEN n > 1D THEN ab_p - (a / n) * a2_p - (a2 / n) * a_p + m * (a / n) * (a2 / n)\n    ELSE ab_p - ab_p END) / n) AS DOUBLE), 'weight', (CASE WHEN n > 2D\n    THEN (n * (n * ((CASE\n    WHEN n < 0D THEN NULL\n    WHEN n < 16D THEN element_at(\n        array(0D, 1D, 1.5D, 1.8333333333333333D, 2.0833333333333335D, 2.283333333333333D, 2.45D,\n              2.592857142857143D, 2.717857142857143D, 2.828968253968254D, 2.9289682539682538D,\n              3.019877344877345D, 3.103210678210678D, 3.180133755133755D, 3.2515623265623264D,\n              3.3182289932289932D),\n        CAST(n AS INT) + 1)\n    ELSE ln(n) + (0.5772156649015329D + (0.5D/n\n        - (1D/12 - (1D/120 - (1D/252 - (1D/240 - 1D/132/(n*n))/(n*n))/(n*n))/(n*n))/(n*n)))\nEND) - (CASE\n    WHEN n < 0D THEN NULL\n    WHEN n < 16D THEN element_at(\n        array(0D, 1D, 1.25D, 1.3611111111111112D, 1.4236111111111112D, 1.4636111111111112D,\n              1.4913888888888889D, 1.511797052154195D, 1.527422052154195D, 1.5397677311665408D,\n              1.5497677311665408D, 1.558032193976458D, 1.5649766384209025D, 1.5708937981842162D,\n              1.5759958390005426D, 1.580440283444987D),\n        CAST(n AS INT) + 1)\n    ELSE 1.6449340668482264D - (1D/n - (0.5D/(n*n)\n        - (1D/6 - (1D/30 - (1D/42 - (1D/30 - 5D/66/(n*n))/(n*n))/(n*n))/(n*n))/(n*n*n)))\nEND)) / (n - 1D)) - (n - 1D)) / (n - 2D)\n    ELSE 0D END))",
  "lift": "(share - (m / n) * value)"
 },
 "covar_samp": {
  "needs": [
   "n",
   "m",
   "a",
   "a_p",
   "a2",
   "a2_p",
   "ab",
   "ab_p"
  ],
  "phi": "transform(array(named_struct('covar_samp', (CASE WHEN s.n > 2D THEN (s.n * ((CASE\n    WHEN s.n < 0D THEN NULL\n    WHEN s.n < 16D THEN element_at(\n        array(0D, 1D, 1.5D, 1.8333333333333333D, 2.0833333333333335D, 2.283333333333333D, 2.45D,\n              2.592857142857143D, 2.717857142857143D, 2.828968253968254D, 2.9289682539682538D,\n              3.019877344877345D, 3.103210678210678D, 3.180133755133755D, 3.2515623265623264D,\n              3.3182289932289932D),\n        CAST(s.n AS INT) + 1)\n    ELSE ln(s.n) + (0.5772156649015329D + (0.5D/s.n\n        - (1D/12 - (1D/120 - (1D/252 - (1D/240 - 1D/132/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n)))\nEND) - 2D) + 1D) / (s.n - 2D) ELSE 0D END), 'covar_samp_value', IF(s.n > 0D, ((CASE WHEN s.n > 1D THEN (s.n * s.cov) - (0D / s.n) * 0D - (0D / s.n) * 0D + s.n * (0D / s.n) * (0D / s.n)\n    ELSE (s.n * s.cov) - (s.n * s.cov) END) / greatest(s.n - 1D, 1D)), NULL))), w -> transform(array(named_struct('m', s.m0, 'a_p', coalesce(s.m0 * (s.mean0 - s.mean), 0D), 'a2_p', coalesce(s.m0 * (s.mean2_0 - s.mean2_), 0D), 'ab_p', coalesce(s.m0 * (s.cov0 + (s.mean0 - s.mean) * (s.mean2_0 - s.mean2_)), 0D))), t -> (CASE WHEN s.n > 0D THEN\n    CASE WHEN t.m = 0D THEN 0D WHEN w.covar_samp = 0D THEN (((CASE WHEN s.n > 1D THEN t.ab_p - (0D / s.n) * t.a2_p - (0D / s.n) * t.a_p + t.m * (0D / s.n) * (0D / s.n)\n    ELSE t.ab_p - t.ab_p END) / greatest(s.n - 1D, 1D))) ELSE (((CASE WHEN s.n > 1D THEN t.ab_p - (0D / s.n) * t.a2_p - (0D / s.n) * t.a_p + t.m * (0D / s.n) * (0D / s.n)\n    ELSE t.ab_p - t.ab_p END) / greatest(s.n - 1D, 1D))) + w.covar_samp * (((((CASE WHEN s.n > 1D THEN t.ab_p - (0D / s.n) * t.a2_p - (0D / s.n) * t.a_p + t.m * (0D / s.n) * (0D / s.n)\n    ELSE t.ab_p - t.ab_p END) / greatest(s.n - 1D, 1D))) - (t.m / s.n) * w.covar_samp_value)) END\nEND))[0])[0]",
  "explanation": "IF(s.n > 0D, transform(array(named_struct('covar_samp', (CASE WHEN s.n > 2D THEN (s.n * ((CASE\n    WHEN s.n < 0D THEN NULL\n    WHEN s.n < 16D THEN element_at(\n        array(0D, 1D, 1.5D, 1.8333333333333333D, 2.0833333333333335D, 2.283333333333333D, 2.45D,\n              2.592857142857143D, 2.717857142857143D, 2.828968253968254D, 2.9289682539682538D,\n              3.019877344877345D, 3.103210678210678D, 3.180133755133755D, 3.2515623265623264D,\n              3.3182289932289932D),\n        CAST(s.n AS INT) + 1)\n    ELSE ln(s.n) + (0.5772156649015329D + (0.5D/s.n\n        - (1D/12 - (1D/120 - (1D/252 - (1D/240 - 1D/132/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n))/(s.n*s.n)))\nEND) - 2D) + 1D) / (s.n - 2D) ELSE 0D END), 'covar_samp_value', IF(s.n > 0D, ((CASE WHEN s.n > 1D THEN (s.n * s.cov) - (0D / s.n) * 0D - (0D / s.n) * 0D + s.n * (0D / s.n) * (0D / s.n)\n    ELSE (s.n * s.cov) - (s.n * s.cov) END) / greatest(s.n - 1D, 1D)), NULL))), w -> transform(array(named_struct('m', s.m0, 'a_p', coalesce(s.m0 * (s.mean0 - s.mean), 0D), 'a2_p', coalesce(s.m0 * (s.mean2_0 - s.mean2_), 0D), 'ab_p', coalesce(s.m0 * (s.cov0 + (s.mean0 - s.mean) * (s.mean2_0 - s.mean2_)), 0D))), t -> transform(array(named_struct('share', IF(t.m = 0D, 0D, ((CASE WHEN s.n > 1D THEN t.ab_p - (0D / s.n) * t.a2_p - (0D / s.n) * t.a_p + t.m * (0D / s.n) * (0D / s.n)\n    ELSE t.ab_p - t.ab_p END) / greatest(s.n - 1D, 1D))), 'lift', CAST(IF(t.m = 0D, 0D, ((((CASE WHEN s.n > 1D THEN t.ab_p - (0D / s.n) * t.a2_p - (0D / s.n) * t.a_p + t.m * (0D / s.n) * (0D / s.n)\n    ELSE t.ab_p - t.ab_p END) / greatest(s.n - 1D, 1D))) - (t.m / s.n) * w.covar_samp_value)) AS DOUBLE))), u -> named_struct('statistic', 'covar_samp', 'n', CAST(s.n AS BIGINT), 'value', CAST(w.covar_samp_value AS DOUBLE), 'm', CAST(t.m AS BIGINT), 'phi', (CASE WHEN s.n > 0D THEN\n    CASE WHEN t.m = 0D THEN 0D WHEN w.covar_samp = 0D THEN u.share ELSE u.share + w.covar_samp * u.lift END\nEND), 'share', CAST(u.share AS DOUBLE), 'lift', u.lift, 'weight', CAST(w.covar_samp AS DOUBLE)))[0])[0])[0], NULL)",
  "split": "named_struct('statistic', 'covar_samp', 'value', ((CASE WHEN n > 1D THEN ab - (a / n) * a2 - (a2 / n) * a + n * (a / n) * (a2 / n)\n    ELSE ab - ab END) / greatest(n - 1D, 1D)), 'share', CAST(((CASE WHEN n > 1D THEN ab_p - (a / n) * a2_p - (a2 / n) * a_p + m * (a / n) * (a2 / n)\n    ELSE ab_p - ab_p END) / greatest(n - 1D, 1D)) AS DOUBLE), 'weight', (CASE WHEN n > 2D THEN (n * ((CASE\n    WHEN n < 0D THEN NULL\n    WHEN n < 16D THEN element_at(\n        array(0D, 1D, 1.5D, 1.8333333333333333D, 2.0833333333333335D, 2.283333333333333D, 2.45D,\n              2.592857142857143D, 2.717857142857143D, 2.828968253968254D, 2.9289682539682538D,\n              3.019877344877345D, 3.103210678210678D, 3.180133755133755D, 3.2515623265623264D,\n              3.3182289932289932D),\n        CAST(n AS INT) + 1)\n    ELSE ln(n) + (0.5772156649015329D + (0.5D/n\n        - (1D/12 - (1D/120 - (1D/252 - (1D/240 - 1D/132/(n*n))/(n*n))/(n*n))/(n*n))/(n*n)))\nEND) - 2D) + 1D) / (n - 2D) ELSE 0D END))",
  "lift": "(share - (m / n) * value)"
 }
}) %}
{% endmacro %}

{# Φ of a row of the long table. #}
{% macro _phi() %}
{% do return("CASE WHEN n > 0D THEN\n    CASE WHEN m = 0D THEN 0D WHEN weight = 0D THEN share ELSE share + weight * lift END\nEND") %}
{% endmacro %}

{# The statistics that a long table may have. #}
{% macro _statistics() %}
{% do return([
 "sum",
 "count",
 "avg",
 "var_pop",
 "var_samp",
 "covar_pop",
 "covar_samp",
 "central_moment(2)",
 "central_moment(3)",
 "central_moment(4)",
 "central_moment(5)",
 "central_moment(6)"
]) %}
{% endmacro %}

{# Of one column, _y, and of two, _y and _x: three steps that cut values into parts, the sums of parts,
their means, _c and _d, the same three steps for those, and what the sums are about the means. See
shapwin/exact_sums.py. #}
{% macro _pane_sums() %}
{% do return({
 "y": {
  "cuts": [
   [
    "if(abs(_y) < 1.3e+154D, _y, 0D) _y",
    "if(abs(_y) < 1.3e+154D, NULL, _y) _y_odd"
   ],
   [
    "_y",
    "_y_odd",
    "0D _y_end0",
    "_y * 1099511627777.0D - (_y * 1099511627777.0D - _y) _y_end1",
    "_y * 134217729.0D - (_y * 134217729.0D - _y) _y_end2",
    "_y * 16385.0D - (_y * 16385.0D - _y) _y_end3"
   ],
   [
    "_y_odd",
    "_y - _y_end3 _y4",
    "_y_end1 - _y_end0 _y1",
    "_y_end2 - _y_end1 _y2",
    "_y_end3 - _y_end2 _y3"
   ]
  ],
  "aggregates": [
   "count(*) _m",
   "sum(_y1) _y1",
   "sum(_y2) _y2",
   "sum(_y3) _y3",
   "sum(_y4) _y4",
   "sum(_y_odd) _y_odd",
   "sum((_y1 * _y1)) _yy2",
   "sum((_y1 * _y2 + _y2 * _y1)) _yy3",
   "sum((_y1 * _y3 + _y2 * _y2 + _y3 * _y1)) _yy4",
   "sum((_y1 * _y4 + _y2 * _y3 + _y3 * _y2 + _y4 * _y1)) _yy5",
   "sum((_y2 * _y4 + _y3 * _y3 + _y4 * _y2)) _yy6",
   "sum((_y3 * _y4 + _y4 * _y3)) _yy7",
   "sum((_y4 * _y4)) _yy8"
  ],
  "means": [
   "if(abs(_y1 / _m + _y2 / _m + _y3 / _m + _y4 / _m) < double('Infinity'), _y1 / _m + _y2 / _m + _y3 / _m + _y4 / _m, 0D) _c"
  ],
  "cuts_of_means": [
   [
    "if(abs(_c) < 1.3e+154D, _c, 0D) _c",
    "if(abs(_c) < 1.3e+154D, NULL, _c) _c_odd"
   ],
   [
    "_c",
    "_c_odd",
    "0D _c_end0",
    "_c * 1099511627777.0D - (_c * 1099511627777.0D - _c) _c_end1",
    "_c * 134217729.0D - (_c * 134217729.0D - _c) _c_end2",
    "_c * 16385.0D - (_c * 16385.0D - _c) _c_end3"
   ],
   [
    "_c_odd",
    "_c - _c_end3 _c4",
    "_c_end1 - _c_end0 _c1",
    "_c_end2 - _c_end1 _c2",
    "_c_end3 - _c_end2 _c3"
   ]
  ],
  "summary": {
   "m": "_m",
   "a": "aggregate(array(_y1 - _m * _c1, _y2 - _m * _c2, _y3 - _m * _c3, _y4 - _m * _c4), named_struct('total', 0D, 'lost', 0D), (z, term) -> named_struct('total', z.total + term, 'lost', z.lost + ((z.total - ((z.total + term) - ((z.total + term) - z.total))) + (term - ((z.total + term) - z.total)))), z -> z.total + z.lost) + coalesce(_y_odd, 0D)",
   "b": "CASE WHEN _y_odd IS NOT NULL THEN abs(_y_odd) + double('Infinity') WHEN abs(_yy2) < double('Infinity') THEN greatest(aggregate(array(_yy2 - _c1 * _y1 - _c1 * _y1 + _m * _c1 * _c1, _yy3 - _c1 * _y2 - _c2 * _y1 + _m * _c1 * _c2 - _c2 * _y1 - _c1 * _y2 + _m * _c2 * _c1, _yy4 - _c1 * _y3 - _c3 * _y1 + _m * _c1 * _c3 - _c2 * _y2 - _c2 * _y2 + _m * _c2 * _c2 - _c3 * _y1 - _c1 * _y3 + _m * _c3 * _c1, _yy5 - _c1 * _y4 - _c4 * _y1 + _m * _c1 * _c4 - _c2 * _y3 - _c3 * _y2 + _m * _c2 * _c3 - _c3 * _y2 - _c2 * _y3 + _m * _c3 * _c2 - _c4 * _y1 - _c1 * _y4 + _m * _c4 * _c1, _yy6 - _c2 * _y4 - _c4 * _y2 + _m * _c2 * _c4 - _c3 * _y3 - _c3 * _y3 + _m * _c3 * _c3 - _c4 * _y2 - _c2 * _y4 + _m * _c4 * _c2, _yy7 - _c3 * _y4 - _c4 * _y3 + _m * _c3 * _c4 - _c4 * _y3 - _c3 * _y4 + _m * _c4 * _c3, _yy8 - _c4 * _y4 - _c4 * _y4 + _m * _c4 * _c4), named_struct('total', 0D, 'lost', 0D), (z, term) -> named_struct('total', z.total + term, 'lost', z.lost + ((z.total - ((z.total + term) - ((z.total + term) - z.total))) + (term - ((z.total + term) - z.total)))), z -> z.total + z.lost), 0D) ELSE _yy2 END",
   "center": "_c1 + _c2 + _c3 + _c4"
  }
 },
 "yx": {
  "cuts": [
   [
    "if(abs(_y) < 1.3e+154D, _y, 0D) _y",
    "if(abs(_y) < 1.3e+154D, NULL, _y) _y_odd",
    "if(abs(_x) < 1.3e+154D, _x, 0D) _x",
    "if(abs(_x) < 1.3e+154D, NULL, _x) _x_odd"
   ],
   [
    "_y",
    "_y_odd",
    "0D _y_end0",
    "_y * 1099511627777.0D - (_y * 1099511627777.0D - _y) _y_end1",
    "_y * 134217729.0D - (_y * 134217729.0D - _y) _y_end2",
    "_y * 16385.0D - (_y * 16385.0D - _y) _y_end3",
    "_x",
    "_x_odd",
    "0D _x_end0",
    "_x * 1099511627777.0D - (_x * 1099511627777.0D - _x) _x_end1",
    "_x * 134217729.0D - (_x * 134217729.0D - _x) _x_end2",
    "_x * 16385.0D - (_x * 16385.0D - _x) _x_end3"
   ],
   [
    "_y_odd",
    "_y - _y_end3 _y4",
    "_y_end1 - _y_end0 _y1",
    "_y_end2 - _y_end1 _y2",
    "_y_end3 - _y_end2 _y3",
    "_x_odd",
    "_x - _x_end3 _x4",
    "_x_end1 - _x_end0 _x1",
    "_x_end2 - _x_end1 _x2",
    "_x_end3 - _x_end2 _x3"
   ]
  ],
  "aggregates": [
   "count(*) _m",
   "sum(_y1) _y1",
   "sum(_y2) _y2",
   "sum(_y3) _y3",
   "sum(_y4) _y4",
   "sum(_y_odd) _y_odd",
   "sum((_y1 * _y1)) _yy2",
   "sum((_y1 * _y2 + _y2 * _y1)) _yy3",
   "sum((_y1 * _y3 + _y2 * _y2 + _y3 * _y1)) _yy4",
   "sum((_y1 * _y4 + _y2 * _y3 + _y3 * _y2 + _y4 * _y1)) _yy5",
   "sum((_y2 * _y4 + _y3 * _y3 + _y4 * _y2)) _yy6",
   "sum((_y3 * _y4 + _y4 * _y3)) _yy7",
   "sum((_y4 * _y4)) _yy8",
   "sum(_x1) _x1",
   "sum(_x2) _x2",
   "sum(_x3) _x3",
   "sum(_x4) _x4",
   "sum(_x_odd) _x_odd",
   "sum((_y1 * _x1)) _yx2",
   "sum((_y1 * _x2 + _y2 * _x1)) _yx3",
   "sum((_y1 * _x3 + _y2 * _x2 + _y3 * _x1)) _yx4",
   "sum((_y1 * _x4 + _y2 * _x3 + _y3 * _x2 + _y4 * _x1)) _yx5",
   "sum((_y2 * _x4 + _y3 * _x3 + _y4 * _x2)) _yx6",
   "sum((_y3 * _x4 + _y4 * _x3)) _yx7",
   "sum((_y4 * _x4)) _yx8"
  ],
  "means": [
   "if(abs(_y1 / _m + _y2 / _m + _y3 / _m + _y4 / _m) < double('Infinity'), _y1 / _m + _y2 / _m + _y3 / _m + _y4 / _m, 0D) _c",
   "if(abs(_x1 / _m + _x2 / _m + _x3 / _m + _x4 / _m) < double('Infinity'), _x1 / _m + _x2 / _m + _x3 / _m + _x4 / _m, 0D) _d"
  ],
  "cuts_of_means": [
   [
    "if(abs(_c) < 1.3e+154D, _c, 0D) _c",
    "if(abs(_c) < 1.3e+154D, NULL, _c) _c_odd",
    "if(abs(_d) < 1.3e+154D, _d, 0D) _d",
    "if(abs(_d) < 1.3e+154D, NULL, _d) _d_odd"
   ],
   [
    "_c",
    "_c_odd",
    "0D _c_end0",
    "_c * 1099511627777.0D - (_c * 1099511627777.0D - _c) _c_end1",
    "_c * 134217729.0D - (_c * 134217729.0D - _c) _c_end2",
    "_c * 16385.0D - (_c * 16385.0D - _c) _c_end3",
    "_d",
    "_d_odd",
    "0D _d_end0",
    "_d * 1099511627777.0D - (_d * 1099511627777.0D - _d) _d_end1",
    "_d * 134217729.0D - (_d * 134217729.0D - _d) _d_end2",
    "_d * 16385.0D - (_d * 16385.0D - _d) _d_end3"
   ],
   [
    "_c_odd",
    "_c - _c_end3 _c4",
    "_c_end1 - _c_end0 _c1",
    "_c_end2 - _c_end1 _c2",
    "_c_end3 - _c_end2 _c3",
    "_d_odd",
    "_d - _d_end3 _d4",
    "_d_end1 - _d_end0 _d1",
    "_d_end2 - _d_end1 _d2",
    "_d_end3 - _d_end2 _d3"
   ]
  ],
  "summary": {
   "m": "_m",
   "a": "aggregate(array(_y1 - _m * _c1, _y2 - _m * _c2, _y3 - _m * _c3, _y4 - _m * _c4), named_struct('total', 0D, 'lost', 0D), (z, term) -> named_struct('total', z.total + term, 'lost', z.lost + ((z.total - ((z.total + term) - ((z.total + term) - z.total))) + (term - ((z.total + term) - z.total)))), z -> z.total + z.lost) + coalesce(_y_odd, 0D)",
   "b": "CASE WHEN _y_odd IS NOT NULL THEN abs(_y_odd) + double('Infinity') WHEN abs(_yy2) < double('Infinity') THEN greatest(aggregate(array(_yy2 - _c1 * _y1 - _c1 * _y1 + _m * _c1 * _c1, _yy3 - _c1 * _y2 - _c2 * _y1 + _m * _c1 * _c2 - _c2 * _y1 - _c1 * _y2 + _m * _c2 * _c1, _yy4 - _c1 * _y3 - _c3 * _y1 + _m * _c1 * _c3 - _c2 * _y2 - _c2 * _y2 + _m * _c2 * _c2 - _c3 * _y1 - _c1 * _y3 + _m * _c3 * _c1, _yy5 - _c1 * _y4 - _c4 * _y1 + _m * _c1 * _c4 - _c2 * _y3 - _c3 * _y2 + _m * _c2 * _c3 - _c3 * _y2 - _c2 * _y3 + _m * _c3 * _c2 - _c4 * _y1 - _c1 * _y4 + _m * _c4 * _c1, _yy6 - _c2 * _y4 - _c4 * _y2 + _m * _c2 * _c4 - _c3 * _y3 - _c3 * _y3 + _m * _c3 * _c3 - _c4 * _y2 - _c2 * _y4 + _m * _c4 * _c2, _yy7 - _c3 * _y4 - _c4 * _y3 + _m * _c3 * _c4 - _c4 * _y3 - _c3 * _y4 + _m * _c4 * _c3, _yy8 - _c4 * _y4 - _c4 * _y4 + _m * _c4 * _c4), named_struct('total', 0D, 'lost', 0D), (z, term) -> named_struct('total', z.total + term, 'lost', z.lost + ((z.total - ((z.total + term) - ((z.total + term) - z.total))) + (term - ((z.total + term) - z.total)))), z -> z.total + z.lost), 0D) ELSE _yy2 END",
   "center": "_c1 + _c2 + _c3 + _c4",
   "a2": "aggregate(array(_x1 - _m * _d1, _x2 - _m * _d2, _x3 - _m * _d3, _x4 - _m * _d4), named_struct('total', 0D, 'lost', 0D), (z, term) -> named_struct('total', z.total + term, 'lost', z.lost + ((z.total - ((z.total + term) - ((z.total + term) - z.total))) + (term - ((z.total + term) - z.total)))), z -> z.total + z.lost) + coalesce(_x_odd, 0D)",
   "ab": "if(_y_odd IS NULL AND _x_odd IS NULL, aggregate(array(_yx2 - _c1 * _x1 - _d1 * _y1 + _m * _c1 * _d1, _yx3 - _c1 * _x2 - _d2 * _y1 + _m * _c1 * _d2 - _c2 * _x1 - _d1 * _y2 + _m * _c2 * _d1, _yx4 - _c1 * _x3 - _d3 * _y1 + _m * _c1 * _d3 - _c2 * _x2 - _d2 * _y2 + _m * _c2 * _d2 - _c3 * _x1 - _d1 * _y3 + _m * _c3 * _d1, _yx5 - _c1 * _x4 - _d4 * _y1 + _m * _c1 * _d4 - _c2 * _x3 - _d3 * _y2 + _m * _c2 * _d3 - _c3 * _x2 - _d2 * _y3 + _m * _c3 * _d2 - _c4 * _x1 - _d1 * _y4 + _m * _c4 * _d1, _yx6 - _c2 * _x4 - _d4 * _y2 + _m * _c2 * _d4 - _c3 * _x3 - _d3 * _y3 + _m * _c3 * _d3 - _c4 * _x2 - _d2 * _y4 + _m * _c4 * _d2, _yx7 - _c3 * _x4 - _d4 * _y3 + _m * _c3 * _d4 - _c4 * _x3 - _d3 * _y4 + _m * _c4 * _d3, _yx8 - _c4 * _x4 - _d4 * _y4 + _m * _c4 * _d4), named_struct('total', 0D, 'lost', 0D), (z, term) -> named_struct('total', z.total + term, 'lost', z.lost + ((z.total - ((z.total + term) - ((z.total + term) - z.total))) + (term - ((z.total + term) - z.total)))), z -> z.total + z.lost), double('NaN'))",
   "center2": "_d1 + _d2 + _d3 + _d4"
  }
 }
}) %}
{% endmacro %}
