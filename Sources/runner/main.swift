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

let ending = await CommandLineTool.run(Array(CommandLine.arguments.dropFirst()), registry: registry)
ending.end()
