// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// A Swift module of the program; `path` only where the folder is not named after the module.
func module(_ name: String, path: String? = nil, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: path ?? "Sources/\(name)", swiftSettings: settings)
}

/// The tests of a module, through its front door.
func tests(of name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.byName(name: name), "TestSupport"] + dependencies,
        swiftSettings: settings)
}

let package = Package(
    name: "runner",
    products: [.executable(name: "runner", targets: ["runner"])],
    targets: [
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl"),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1"),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto"),
        .systemLibrary(name: "CLinux"),

        module("YAML", ["CYAML"]),
        module("SQLite", ["CSQLite"]),
        module("HTTP", ["CCurl", "CLinux"]),
        module("Files", ["CCrypto", "CLinux"]),
        module("Core", ["YAML", "SQLite", "HTTP", "Files"]),
        module("SourcesFlags", path: "Sources/Sources-Flags", ["Core", "YAML"]),
        module("Reports", ["Core", "SQLite"]),
        module("Commands", ["Core", "Reports", "YAML"]),
        .executableTarget(name: "runner", dependencies: ["Commands", "SourcesFlags"], swiftSettings: settings),

        .target(
            name: "TestSupport", dependencies: ["Core", "CLinux"], path: "Tests/TestSupport",
            swiftSettings: settings),
        tests(of: "YAML"),
        tests(of: "SQLite"),
        tests(of: "HTTP"),
        tests(of: "Files"),
        tests(of: "Core", ["YAML", "SQLite", "HTTP", "Files"]),
        tests(of: "SourcesFlags", ["Core", "YAML"]),
        tests(of: "Reports", ["Core", "SQLite"]),
        tests(of: "Commands", ["Core"]),
        .testTarget(name: "EndToEnd", dependencies: ["TestSupport", "SQLite"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
