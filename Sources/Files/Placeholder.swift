package enum PlaceholderFiles {}
