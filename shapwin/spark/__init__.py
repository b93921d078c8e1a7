"""The Spark shell around the core: the only place that imports pyspark."""
