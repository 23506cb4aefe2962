import Commands
import SourceKit
import SourcesAll
import TestSupport

// The program with one source more, for tests and measurements that need lists of their own.
CommandLineTool.main(registry: SourceRegistry(SourceRegistry.all.modules + [SourceModule(ListSource.self)]))
