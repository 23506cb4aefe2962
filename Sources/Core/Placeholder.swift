package enum PlaceholderCore {}
