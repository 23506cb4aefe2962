package enum PlaceholderYAML {}
