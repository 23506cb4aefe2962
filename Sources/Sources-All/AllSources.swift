package import SourceKit
import SourcesCommand
import SourcesFlags
import SourcesFlickr
import SourcesManifest

extension SourceRegistry {
    /// Every source module of the program; a new one is added here.
    package static let all = SourceRegistry([
        SourceModule(CommandSource.self), SourceModule(FlagsSource.self), SourceModule(FlickrSource.self),
        SourceModule(ManifestSource.self),
    ])
}
