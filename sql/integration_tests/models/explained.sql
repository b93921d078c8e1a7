{{ shapwin.shapley_windows(
    ref('trip_panes'), window='1 hour', every='30 minutes',
    predicates=['eu', 'us', 'unknown'], statistics=['avg', 'var_pop']
) }}
