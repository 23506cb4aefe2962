// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// A Swift module of the program; `path` only where the folder is not named after the module.
func module(
    _ name: String, path: String? = nil, _ dependencies: [Target.Dependency], excluding: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: path ?? "Sources/\(name)", exclude: excluding,
        swiftSettings: settings)
}

/// The tests of a module, through its front door.
func tests(of name: String, _ dependencies: [Target.Dependency] = [], excluding: [String] = []) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.byName(name: name), "TestSupport"] + dependencies,
        exclude: excluding,
        swiftSettings: settings)
}

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

        module("YAML", ["CYAML"]),
        module("SQLite", ["CSQLite"]),
        module("HTTP", ["CCurl", "CCoding", "CLinux"]),
        module("JSON", []),
        module("Server", ["CMicrohttpd", "CLinux", "HTTP", "JSON"]),
        module("Files", ["CCrypto", "CLinux"]),
        module("Archive", ["CArchive"]),
        module("Media", []),
        module("MediaProtocol", ["CLinux"]),
        module("MediaClient", ["CLinux", "MediaProtocol"]),
        module("MediaSandbox", ["CSandbox"]),
        module("Core", ["YAML", "SQLite", "HTTP", "Files", "Media", "MediaProtocol", "MediaClient"]),
        module("SourcesFlags", path: "Sources/Sources-Flags", ["Core", "YAML"]),
        module("SourcesFlickr", path: "Sources/Sources-Flickr", ["Core", "YAML"]),
        module("SourcesManifest", path: "Sources/Sources-Manifest", ["Core", "YAML", "HTTP", "Archive"]),
        module(
            "SourcesCommand", path: "Sources/Sources-Command", ["Core", "YAML", "JSON", "HTTP", "CLinux", "CProcess"]),
        module("Reports", ["Core", "SQLite", "JSON"]),
        module("Control", ["Core", "Files", "HTTP", "JSON", "Server", "YAML"]),
        module(
            "Web",
            [
                "CPage", "CLinux", "Control", "Core", "Files", "HTTP", "JSON", "Reports", "SQLite", "Server", "YAML",
            ],
            excluding: ["Page"]),
        module(
            "Commands",
            [
                "Control", "Core", "Reports", "YAML", "JSON", "SQLite", "HTTP", "Files", "Archive", "MediaClient",
                "Server", "Web",
            ]),
        .executableTarget(
            name: "runner",
            dependencies: ["Commands", "SourcesCommand", "SourcesFlags", "SourcesFlickr", "SourcesManifest"],
            swiftSettings: settings),
        // Only this one needs libvips.
        .executableTarget(
            name: "runner-media", dependencies: ["CVips", "Archive", "Media", "MediaProtocol", "MediaSandbox"],
            swiftSettings: settings),

        // Never with a sanitizer: programs are started by env(1), into which it is loaded, too, and which has none.
        .target(
            name: "FaultyCalls", path: "Tests/FaultyCalls", cSettings: [.unsafeFlags(["-fno-sanitize=all"])]),
        .target(
            name: "TestSupport", dependencies: ["Core", "YAML", "HTTP", "CLinux"], path: "Tests/TestSupport",
            swiftSettings: settings),
        .executableTarget(
            name: "test-runner",
            dependencies: [
                "Commands", "SourcesCommand", "SourcesFlags", "SourcesFlickr", "SourcesManifest", "TestSupport",
            ],
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
        tests(of: "Core", ["YAML", "SQLite", "HTTP", "Files", "Media", "MediaProtocol"]),
        tests(of: "SourcesFlags", ["Core", "YAML"]),
        tests(of: "SourcesFlickr", ["Core", "YAML", "SQLite"], excluding: ["Samples"]),
        tests(of: "SourcesCommand", ["Core", "YAML", "SQLite"]),
        tests(of: "SourcesManifest", ["Core", "YAML", "SQLite"]),
        tests(of: "Web", ["Core", "Files", "JSON", "SQLite", "Server"]),
        tests(of: "Reports", ["Core", "SQLite", "JSON"]),
        tests(
            of: "Commands",
            [
                "Core", "Reports", "YAML", "JSON", "HTTP", "SQLite", "SourcesCommand", "SourcesFlags", "SourcesFlickr",
                "SourcesManifest",
            ],
            excluding: ["Golden"]),
        .testTarget(
            name: "EndToEnd",
            dependencies: [
                "TestSupport", "SQLite", "CCrypto", "Control", "Server", "runner", "test-runner", "runner-media",
                "sandbox-proof",
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
