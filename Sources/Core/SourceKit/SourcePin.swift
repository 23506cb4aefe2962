/// A place on the map that a person has set for a job.
package struct SourcePin: Sendable, Hashable {
    package let name: String
    /// Degrees north and east.
    package let latitude: Double
    package let longitude: Double
    /// Kilometres around the place; nil for the source's own measure.
    package let radius: Double?
    /// How often somebody asked for other photos of it: 0 is for the first ones, 1 for those behind them, and so on.
    package let turn: Int

    /// More turns than any site has photos for.
    private static let mostTurns: Int64 = 1_000_000

    package init(name: String, latitude: Double, longitude: Double, radius: Double?, turn: Int64) {
        self.name = name
        self.latitude = latitude
        self.longitude = longitude
        self.radius = radius
        self.turn = Int(min(max(0, turn), Self.mostTurns))
    }
}
