{{ shapwin.shapley_windows(
    ref('trip_panes'), window='1 hour', every='30 minutes',
    predicates=['eu', 'us', 'unknown'], queries='atoms',
    statistics=['sum', 'count', 'avg', 'var_pop', 'var_samp', 'covar_pop', 'covar_samp']
) }}
