package enum PlaceholderReports {}
