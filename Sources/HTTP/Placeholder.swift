package enum PlaceholderHTTP {}
