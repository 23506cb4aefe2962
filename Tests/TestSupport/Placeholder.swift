package enum PlaceholderSupport {}
