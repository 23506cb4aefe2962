/// The version of the program: the only place that states it.
let runnerVersion = "0.1.0"

/// The day of that version, for the manual pages.
let runnerReleaseDate = "2026-11-21"
