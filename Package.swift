// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .treatAllWarnings(as: .error),
]

// Products of other packages, by the name that our targets use.
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioHPACK = Target.Dependency.product(name: "NIOHPACK", package: "swift-nio-http2")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTPTypesHTTP2 = Target.Dependency.product(
    name: "NIOHTTPTypesHTTP2", package: "swift-nio-extras")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let coreMetrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let metricsTestKit = Target.Dependency.product(name: "MetricsTestKit", package: "swift-metrics")
let lifecycle = Target.Dependency.product(
    name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser")

/// Identity's service, for whoever makes it whole: four modules over one store.
let identity: [Target.Dependency] = [
    "IdentityAssembly", "AccountLife", "PersonalData", "IdentityService",
]

/// One of our Swift modules, in `Sources/<name>`; `pages` explain it and are no source.
func module(_ name: String, _ dependencies: [Target.Dependency], pages: [String] = []) -> Target {
    .target(name: name, dependencies: dependencies, exclude: pages, swiftSettings: settings)
}

/// One program, in `Sources/<name>`. What its linker is told saves an eighth of its memory: the
/// names of all its functions, which nothing looks up, and a table of two million bytes that the
/// loader reads (Sources/README.md, "Decisions").
func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, swiftSettings: settings,
        linkerSettings: [
            .unsafeFlags([
                "-use-ld=lld", "-Xlinker", "--no-export-dynamic", "-Xlinker", "-z", "-Xlinker",
                "pack-relative-relocs",
            ])
        ])
}

/// The tests of a module, in `Tests/<name>Tests`.
func tests(
    _ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = [],
    exclude: [String] = []
) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: dependencies, exclude: exclude, resources: resources,
        swiftSettings: settings)
}

/// A system library behind a module map.
func library(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

let package = Package(
    name: "Postern",
    products: [
        // For other packages: what is `public` in it and in the modules that it exports.
        .library(name: "PosternClient", targets: ["PosternClient"])
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        // One form of requests and responses for HTTP/1.1 and HTTP/2, in postern-web.
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        // The parts of a request and a response, with heads of swift-http-types.
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        // In tests only: clients of HTTP/2, and a server in the place of APNs.
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // C libraries: each imported by one Swift module.
        .target(name: "CMessages", linkerSettings: [.linkedLibrary("protobuf-c")]),
        // No library: the text of openapi.json.
        .target(name: "COpenAPI", exclude: ["Generated"]),
        library("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        library("CPostgreSQL", pkgConfig: "libpq", apt: "libpq-dev"),
        library("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
        library("CArgon2", pkgConfig: "libargon2", apt: "libargon2-dev"),
        library("CCrypt", pkgConfig: "libcrypt", apt: "libcrypt-dev"),
        library("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
        library("CIDN", pkgConfig: "libidn2", apt: "libidn2-dev"),
        library("CYAML", pkgConfig: "yaml-0.1", apt: "libyaml-dev"),
        library("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
        library("CNGHTTP2", pkgConfig: "libnghttp2", apt: "libnghttp2-dev"),
        library("CMaxMindDB", pkgConfig: "libmaxminddb", apt: "libmaxminddb-dev"),
        library("CQREncode", pkgConfig: "libqrencode", apt: "libqrencode-dev"),

        // Shared by the services; what may import what: `ModuleGraph` in TidyTests.
        module("JSON", []),
        module(
            "Texts", [],
            pages: [
                "README.md", "bundle.sh", "mail", "sms", "push", "page", "error", "export",
                "activity",
            ]),
        module(
            "ServiceRuntime", ["CYAML", "JSON", "Texts", logging, metrics, lifecycle, unixSignals],
            pages: ["Errors/README.md"]),
        module(
            "Addresses", ["CIDN", "ServiceRuntime"],
            pages: ["Phone/libphonenumber-LICENSE.txt", "Phone/make_numbering_plans.py"]),
        module("Places", ["CMaxMindDB", "Addresses", "ServiceRuntime", logging]),
        module(
            "Cryptography", ["COpenSSL", "CArgon2", "CCrypt", "JSON", "ServiceRuntime", metrics]),
        module(
            "Storage",
            [
                "CSQLite", "CPostgreSQL", "Cryptography", "Addresses", "ServiceRuntime", "JSON",
                logging, metrics, lifecycle,
            ], pages: ["README.md"]),
        module("Outbound", ["CCurl", "Cryptography", "Addresses", "ServiceRuntime"]),
        module("Messages", ["CMessages", "Cryptography", "JSON"]),
        module(
            "RPC",
            [
                "Messages", "Cryptography", "ServiceRuntime", nioCore, nioPosix, nioHTTP1, nioSSL,
                nioTLS, logging, coreMetrics, tracing,
            ], pages: ["README.md"]),
        module("Contracts", ["RPC", "Messages", "Cryptography", "ServiceRuntime", "JSON"]),
        module(
            "PosternClient",
            ["Contracts", "RPC", "Messages", "Cryptography", "ServiceRuntime", "JSON", nioPosix]),

        module(
            "Hosting",
            [
                "Contracts", "RPC", "Messages", "Storage", "Cryptography", "ServiceRuntime", "JSON",
                nioCore, nioPosix, nioHTTP1, tracing, logging, metrics, coreMetrics, lifecycle,
            ]),

        // The services; none imports another. Of identity's modules each imports those before it.
        module(
            "RateLimitService",
            [
                "Contracts", "RPC", "Messages", "Storage", "Cryptography", "Addresses",
                "ServiceRuntime", "JSON", logging, coreMetrics,
            ], pages: ["README.md", "schema.sql"]),
        module(
            "GatewayService",
            [
                "Contracts", "RPC", "Messages", "Cryptography", "Addresses", "Places",
                "ServiceRuntime", logging, coreMetrics,
            ], pages: ["README.md"]),
        module(
            "IdentityService",
            [
                "Contracts", "RPC", "Messages", "Storage", "Outbound", "Cryptography", "Addresses",
                "ServiceRuntime", "JSON", logging, metrics, lifecycle,
            ], pages: ["README.md", "schema.sql"]),
        module(
            "PersonalData",
            [
                "IdentityService", "CZlib", "Contracts", "RPC", "Messages", "Storage",
                "Cryptography", "Addresses", "ServiceRuntime", "JSON", logging,
            ]),
        module(
            "AccountLife",
            [
                "PersonalData", "IdentityService", "Contracts", "RPC", "Messages", "Storage",
                "Cryptography", "Addresses", "ServiceRuntime", "JSON", logging, metrics, lifecycle,
            ]),
        module(
            "IdentityAssembly",
            [
                "AccountLife", "PersonalData", "IdentityService", "Contracts", "RPC", "Storage",
                "ServiceRuntime", logging, metrics, lifecycle,
            ]),
        module(
            "SessionService",
            [
                "Contracts", "RPC", "Messages", "Storage", "Cryptography", "ServiceRuntime", "JSON",
                logging,
            ], pages: ["README.md", "schema.sql", "Proofs/README.md", "RefreshTokens/README.md"]),
        module(
            "NotificationService",
            [
                "Contracts", "RPC", "Messages", "Storage", "Outbound", "Cryptography", "Addresses",
                "ServiceRuntime", "JSON", "Texts", logging, metrics, coreMetrics, lifecycle,
            ], pages: ["README.md", "schema.sql"]),

        module(
            "WebService",
            [
                "CNGHTTP2", "COpenAPI", "CQREncode", "Contracts", "RPC", "Messages", "Cryptography",
                "Addresses", "ServiceRuntime", "JSON", "Texts", nioCore, nioPosix, nioHTTP1, nioSSL,
                nioTLS, httpTypes, logging, coreMetrics,
            ], pages: ["README.md"]),

        // The programs.
        program(
            "postern-gateway", ["GatewayService", "Hosting", "Contracts", "RPC", "ServiceRuntime"]),
        program("postern-web", ["WebService", "Hosting", "RPC", "ServiceRuntime"]),
        program(
            "postern-identity",
            identity + ["Hosting", "Contracts", "Cryptography", "Storage", "ServiceRuntime"]),
        program(
            "postern-session",
            ["SessionService", "Hosting", "Contracts", "Cryptography", "Storage", "ServiceRuntime"]),
        program(
            "postern",
            identity + [
                "Hosting", "SessionService", "RateLimitService", "NotificationService",
                "WebService", "Contracts", "RPC", "Messages", "Storage", "Cryptography",
                "Addresses", "ServiceRuntime", "JSON", nioPosix, argumentParser,
            ]),
        program(
            "postern-notification",
            ["NotificationService", "Hosting", "Contracts", "RPC", "Storage", "ServiceRuntime"]),
        program(
            "postern-rate-limit",
            [
                "RateLimitService", "Hosting", "Contracts", "Cryptography", "Storage",
                "ServiceRuntime",
            ]),
        // All of them: `swift build --target Programs`.
        module(
            "Programs",
            [
                "postern-gateway", "postern-web", "postern-identity", "postern-session",
                "postern-notification", "postern-rate-limit", "postern",
            ]),

        // Tests of each module, and of the programs from outside.
        .target(
            name: "TestSupport",
            dependencies: ["Cryptography", "Storage", "ServiceRuntime", logging],
            path: "Tests/Support/TestSupport", swiftSettings: settings),
        .target(
            name: "SMTPSink", dependencies: [nioCore, nioPosix, nioSSL],
            path: "Tests/Support/SMTPSink", swiftSettings: settings),
        .target(
            name: "HTTPSink", dependencies: [nioCore, nioPosix, nioHTTP1, nioHTTP2, nioSSL],
            path: "Tests/Support/HTTPSink", swiftSettings: settings),
        .target(
            name: "ProviderIssuer",
            dependencies: ["HTTPSink", "Cryptography", "ServiceRuntime", "JSON"],
            path: "Tests/Support/ProviderIssuer", swiftSettings: settings),
        // The public methods, each with a request at the bounds of its fields, and who calls them.
        .target(
            name: "PublicCalls",
            dependencies: [
                "Contracts", "RPC", "Messages", "Cryptography", "ServiceRuntime", "JSON",
                "HTTPSink", "ProviderIssuer", "SMTPSink", "TestSupport", nioPosix,
            ], path: "Tests/Support/PublicCalls", swiftSettings: settings),
        .executableTarget(
            name: "StorageCrashWriter",
            dependencies: ["Storage", "ServiceRuntime", "TestSupport", logging],
            path: "Tests/Support/StorageCrashWriter", swiftSettings: settings),
        .executableTarget(
            name: "LimitsCrashWriter",
            dependencies: ["RateLimitService", "Contracts", "ServiceRuntime", logging],
            path: "Tests/Support/LimitsCrashWriter", swiftSettings: settings),
        .executableTarget(
            name: "Benchmarks",
            dependencies: identity + [
                "SessionService", "RateLimitService", "NotificationService", "Contracts", "RPC",
                "Messages", "Storage", "Cryptography", "ServiceRuntime", "ProviderIssuer",
                "PublicCalls", "SMTPSink", "TestSupport", nioCore, nioPosix, nioHTTP2, nioHPACK,
                logging, metrics, coreMetrics, argumentParser,
            ], path: "Tests/Benchmarks/Measures", swiftSettings: settings),
        tests(
            "ServiceRuntime",
            ["ServiceRuntime", "Texts", "TestSupport", logging, metrics, lifecycle]),
        tests(
            "Cryptography",
            ["Cryptography", "ServiceRuntime", "JSON", "TestSupport", metrics, metricsTestKit],
            exclude: ["Tokens/make_python_vectors.py"]),
        tests(
            "Storage", ["Storage", "StorageCrashWriter", "ServiceRuntime", "TestSupport", logging]),
        tests(
            "Messages", ["Messages", "Cryptography", "JSON", "TestSupport"],
            exclude: ["Golden/make_golden.py", "Golden/golden.txt"]), tests("JSON", ["JSON"]),
        tests("Texts", ["Texts", "TestSupport"]),
        tests("Addresses", ["Addresses", "ServiceRuntime"]),
        tests(
            "Places", ["Places", "Addresses", "ServiceRuntime", "TestSupport"],
            exclude: ["make_places.py", "places.mmdb"]),
        tests(
            "Outbound",
            [
                "Outbound", "Cryptography", "Addresses", "ServiceRuntime", "HTTPSink", "SMTPSink",
                "TestSupport", nioSSL,
            ]),
        tests(
            "SessionService",
            [
                "SessionService", "Hosting", "Contracts", "RPC", "Messages", "Storage",
                "Cryptography", "ServiceRuntime", "TestSupport", logging,
            ]),
        // Of all four modules: nearly each test needs the whole of identity.
        tests(
            "IdentityService",
            identity + [
                "Contracts", "RPC", "Messages", "Storage", "Outbound", "Cryptography", "Addresses",
                "ServiceRuntime", "JSON", "Texts", "HTTPSink", "ProviderIssuer", "TestSupport",
            ], exclude: ["Passkeys/w3c-vectors.txt", "SecondFactors/make_totp_vectors.py"]),
        tests(
            "NotificationService",
            [
                "NotificationService", "Hosting", "Contracts", "RPC", "Messages", "Outbound",
                "Storage", "Cryptography", "ServiceRuntime", "JSON", "Texts", "HTTPSink",
                "SMTPSink", "TestSupport",
            ]),
        tests(
            "RPC",
            [
                "RPC", "Contracts", "Messages", "Cryptography", "ServiceRuntime", "TestSupport",
                nioCore, nioPosix, nioEmbedded, nioSSL, logging, metricsTestKit,
            ]),
        tests(
            "Hosting",
            [
                "Hosting", "Contracts", "RPC", "Messages", "Storage", "Cryptography",
                "ServiceRuntime", "TestSupport", nioCore, nioPosix, tracing, logging,
            ]),
        // The tool's rules; the tool as it runs is in the system's tests.
        tests(
            "postern",
            identity + [
                "postern", "SessionService", "RateLimitService", "NotificationService", "Hosting",
                "Storage", "RPC", "Contracts", "Messages", "Cryptography", "ServiceRuntime", "JSON",
                "TestSupport", nioPosix, argumentParser, logging, coreMetrics,
            ]),
        tests(
            "RateLimitService",
            [
                "RateLimitService", "LimitsCrashWriter", "Contracts", "RPC", "Messages", "Storage",
                "Cryptography", "ServiceRuntime", "TestSupport", nioCore, nioPosix,
            ]),
        tests(
            "GatewayService",
            identity + [
                "GatewayService", "SessionService", "RateLimitService", "NotificationService",
                "Hosting", "Contracts", "RPC", "Messages", "Storage", "Cryptography", "Addresses",
                "Places", "ServiceRuntime", "JSON", "ProviderIssuer", "PublicCalls", "TestSupport",
                nioCore, nioPosix,
            ]),
        // Only the built programs, over TCP; of ours no more than what a caller has.
        tests(
            "System",
            [
                "PosternClient", "Contracts", "RPC", "Messages", "Cryptography", "ServiceRuntime",
                "JSON", "HTTPSink", "ProviderIssuer", "PublicCalls", "SMTPSink", "TestSupport",
                nioPosix,
            ], exclude: ["Backup/Former"]),
        tests(
            "WebService",
            [
                "WebService", "Contracts", "RPC", "Messages", "Cryptography", "Addresses",
                "ServiceRuntime", "JSON", "TestSupport", nioCore, nioPosix, nioEmbedded, nioHTTP1,
                nioHTTP2, nioSSL, nioHTTPTypes, nioHTTPTypesHTTP2, httpTypes, logging,
            ]),
        tests(
            "PosternClient",
            [
                "PosternClient", "Contracts", "RPC", "Messages", "Cryptography", "ServiceRuntime",
                "TestSupport",
            ]), tests("Tidy", ["Contracts", "Hosting", "RPC", "TestSupport"]),
    ])
