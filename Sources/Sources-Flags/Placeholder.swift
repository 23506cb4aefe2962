package enum PlaceholderSourcesFlags {}
