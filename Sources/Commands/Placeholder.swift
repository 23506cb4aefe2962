package enum PlaceholderCommands {}
