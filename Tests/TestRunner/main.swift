import Commands
import Core
import SourcesCommand
import SourcesFlags
import SourcesFlickr
import SourcesManifest
import TestSupport

// The program with one source more, for tests and measurements that need lists of their own.
let registry = SourceRegistry([
    SourceModule(CommandSource.self), SourceModule(FlagsSource.self), SourceModule(FlickrSource.self),
    SourceModule(ManifestSource.self),
    SourceModule(ListSource.self),
])

CommandLineTool.main(registry: registry)
