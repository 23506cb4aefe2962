// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// A Swift module of the program; `path` only where the folder is not named after the module, `embedding` for files whose
/// bytes are in the program.
func module(
    _ name: String, path: String? = nil, _ dependencies: [Target.Dependency], excluding: [String] = [],
    embedding files: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: path ?? "Sources/\(name)", exclude: excluding,
        resources: files.map { .embedInCode($0) }, swiftSettings: settings)
}

/// Of the report in HTML.
let reportParts = [
    "scales.js", "charts.js", "timeline.js", "report-items.js", "report.js", "base.css", "report.css",
].map { "Page/\($0)" }

/// The tests of a module, through its front door.
func tests(of name: String, _ dependencies: [Target.Dependency] = [], excluding: [String] = []) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.byName(name: name), "System", "TestSupport"] + dependencies,
        exclude: excluding,
        swiftSettings: settings)
}

/// The modules below Sources/Core.
let core: [Target.Dependency] = [
    "Model", "SourceKit", "Jobs", "Schedule", "Catalog", "Transfer", "Storage", "Pictures", "Run",
]

let package = Package(
    name: "runner",
    products: [
        .executable(name: "runner", targets: ["runner"]),
        // Loaded into programs under test, before the C library.
        .library(name: "FaultyCalls", type: .dynamic, targets: ["FaultyCalls"]),
    ],
    targets: [
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl"),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1"),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto"),
        .systemLibrary(name: "CArchive", pkgConfig: "libarchive"),
        .systemLibrary(name: "CMicrohttpd", pkgConfig: "libmicrohttpd"),
        .systemLibrary(name: "CCoding"),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CSandbox"),
        // Its own headers are where the compiler looks; those of GLib are not.
        .systemLibrary(name: "CVips", pkgConfig: "gobject-2.0"),

        .target(name: "CProcess"),
        // The page, packed by scripts/embed-page.
        .target(name: "CPage", exclude: ["page.pack"]),
        // The names of countries, written by scripts/generate-country-names.
        .target(name: "CCountries", exclude: ["names.gz"]),

        module("System", ["CLinux"]),
        module("YAML", ["CYAML"]),
        module("SQLite", ["CSQLite"]),
        module("HTTP", ["CCurl", "CCoding", "CLinux", "System"]),
        module("JSON", []),
        module("Server", ["CMicrohttpd", "CLinux", "System", "JSON"]),
        module("Files", ["CCrypto", "CLinux", "System"]),
        module("Archive", ["CArchive"]),
        module("Media", []),
        module("MediaProtocol", ["CLinux"]),
        module("MediaClient", ["CLinux", "MediaProtocol"]),
        module("MediaSandbox", ["CSandbox"]),

        module("Model", path: "Sources/Core/Model", ["System", "YAML", "HTTP", "Files", "Media"]),
        module("SourceKit", path: "Sources/Core/SourceKit", ["Model", "YAML", "HTTP", "Files"]),
        module(
            "Jobs", path: "Sources/Core/Jobs",
            ["System", "Model", "SourceKit", "YAML", "HTTP", "Files", "MediaProtocol"]),
        module("Schedule", path: "Sources/Core/Schedule", ["System", "Model", "HTTP"]),
        module(
            "Catalog", path: "Sources/Core/Catalog",
            ["System", "Model", "Jobs", "SQLite", "HTTP", "Files", "MediaProtocol"]),
        module(
            "Transfer", path: "Sources/Core/Transfer",
            ["System", "Model", "SourceKit", "Jobs", "Schedule", "HTTP", "Files", "Media"]),
        module(
            "Storage", path: "Sources/Core/Storage",
            ["System", "Model", "Jobs", "Catalog", "SQLite", "HTTP", "JSON", "Files"]),
        module(
            "Pictures", path: "Sources/Core/Pictures",
            ["System", "Model", "Jobs", "Catalog", "SQLite", "Files", "Media", "MediaProtocol", "MediaClient"]),
        module(
            "Run", path: "Sources/Core/Run",
            [
                "System", "Model", "SourceKit", "Jobs", "Schedule", "Catalog", "Transfer", "Storage", "Pictures",
                "SQLite", "HTTP", "JSON", "Files", "Media", "MediaProtocol", "MediaClient",
            ]),

        module(
            "Shards", path: "Sources/Core/Shards",
            [
                "System", "Model", "SourceKit", "Jobs", "Catalog", "Storage", "Run", "SQLite", "HTTP", "Files", "YAML",
            ]),

        module("SourcesFlags", path: "Sources/Sources-Flags", ["CCountries", "HTTP", "Model", "SourceKit", "YAML"]),
        module("SourcesFlickr", path: "Sources/Sources-Flickr", ["Model", "SourceKit", "YAML"]),
        module(
            "SourcesManifest", path: "Sources/Sources-Manifest",
            ["System", "Model", "SourceKit", "YAML", "HTTP", "Archive"]),
        module(
            "SourcesCommand", path: "Sources/Sources-Command",
            ["System", "Model", "SourceKit", "YAML", "JSON", "HTTP", "CLinux", "CProcess"]),
        module(
            "SourcesAll", path: "Sources/Sources-All",
            ["SourceKit", "SourcesCommand", "SourcesFlags", "SourcesFlickr", "SourcesManifest"]),
        module("Reports", core + ["System", "SQLite", "JSON", "HTTP", "Files"], embedding: reportParts),
        module("Unattended", ["System", "Model", "Jobs", "Transfer", "Reports", "HTTP", "JSON", "CLinux", "CProcess"]),
        module("Control", core + ["System", "Files", "HTTP", "JSON", "Server", "YAML"]),
        module(
            "Web",
            core + [
                "System", "CPage", "CLinux", "Control", "Files", "HTTP", "JSON", "Reports", "SQLite", "Server", "YAML",
            ],
            excluding: ["Page"]),
        module(
            "Commands",
            core + [
                "System", "Shards", "SourcesAll", "SourcesCommand", "Control", "Server", "Web", "Reports", "Unattended",
                "JSON",
                "YAML",
                "SQLite",
                "HTTP", "Files", "Archive", "MediaClient",
            ]),
        .executableTarget(
            name: "runner",
            dependencies: ["Commands"],
            swiftSettings: settings),
        // Only this one needs libvips.
        .executableTarget(
            name: "runner-media", dependencies: ["CVips", "Archive", "Media", "MediaProtocol", "MediaSandbox"],
            swiftSettings: settings),

        // Never with a sanitizer: programs are started by env(1), into which it is loaded, too, and which has none.
        .target(
            name: "FaultyCalls", path: "Tests/FaultyCalls", cSettings: [.unsafeFlags(["-fno-sanitize=all"])]),
        .target(
            name: "TestSupport",
            dependencies: [
                "System", "Model", "SourceKit", "Jobs", "Catalog", "Run", "SourcesAll", "YAML", "HTTP", "CLinux",
            ], path: "Tests/TestSupport",
            swiftSettings: settings),
        .executableTarget(
            name: "test-runner",
            dependencies: ["Commands", "SourceKit", "SourcesAll", "TestSupport"],
            path: "Tests/TestRunner",
            swiftSettings: settings),
        // Tries what the sandbox of runner-media forbids.
        .target(name: "SandboxAttempts", path: "Tests/SandboxAttempts"),
        .executableTarget(
            name: "sandbox-proof", dependencies: ["MediaSandbox", "SandboxAttempts"], path: "Tests/SandboxProof",
            swiftSettings: settings),
        tests(of: "YAML"),
        tests(of: "SQLite"),
        tests(of: "JSON"),
        tests(of: "HTTP"),
        tests(of: "Server", ["HTTP"]),
        tests(of: "Files"),
        tests(of: "Archive", excluding: ["Samples"]),
        tests(of: "MediaProtocol"),
        tests(of: "MediaClient", ["MediaProtocol", "runner-media"]),
        tests(of: "Media", excluding: ["Samples"]),
        .testTarget(
            name: "CoreTests",
            dependencies: core + [
                "TestSupport", "System", "YAML", "SQLite", "HTTP", "Files", "Media", "MediaProtocol",
            ],
            swiftSettings: settings),
        tests(of: "Shards", ["HTTP", "Jobs", "Model", "Run"]),
        tests(of: "SourcesFlags", core + ["YAML"]),
        tests(of: "SourcesFlickr", core + ["YAML", "SQLite"], excluding: ["Samples"]),
        tests(of: "SourcesCommand", core + ["YAML", "SQLite"], excluding: ["Samples"]),
        tests(of: "SourcesManifest", core + ["YAML", "SQLite"]),
        tests(of: "Unattended", ["Model", "Jobs", "JSON", "HTTP"]),
        // The examples of docs/add-a-source.md.
        module("SourcesSeries", path: "Tests/Guide/Sources-Series", ["Model", "SourceKit", "YAML"]),
        module("SourcesMuseum", path: "Tests/Guide/Sources-Museum", ["Model", "SourceKit", "YAML"]),
        .testTarget(
            name: "GuideTests",
            dependencies: ["SourcesSeries", "SourcesMuseum", "Model", "SourceKit", "HTTP", "TestSupport"],
            path: "Tests/Guide/Tests", swiftSettings: settings),
        tests(of: "Web", core + ["Files", "JSON", "SQLite", "Server"]),
        tests(of: "Reports", core + ["SQLite", "JSON", "Files"], excluding: ["Readers"]),
        tests(
            of: "Commands", core + ["Control", "Reports", "SourcesAll", "JSON", "YAML", "HTTP", "SQLite"],
            excluding: ["Golden"]),
        .testTarget(
            name: "EndToEnd",
            dependencies: [
                "TestSupport", "SQLite", "CCrypto", "Control", "Server", "runner", "test-runner", "runner-media",
                "sandbox-proof",
            ],
            exclude: ["unit-filter.py"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
