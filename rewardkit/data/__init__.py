"""Read rows: files of all usual formats, folders, globs, URLs, hub data sets and tables in memory."""
