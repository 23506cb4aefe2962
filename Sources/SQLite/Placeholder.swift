package enum PlaceholderSQLite {}
