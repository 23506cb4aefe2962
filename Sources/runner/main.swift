import Commands
import Core
import SourcesCommand
import SourcesFlags
import SourcesFlickr
import SourcesManifest

// The one list of sources: a module joins the program here.
let registry = SourceRegistry([
    SourceModule(CommandSource.self), SourceModule(FlagsSource.self), SourceModule(FlickrSource.self),
    SourceModule(ManifestSource.self),
])

CommandLineTool.main(registry: registry)
