// swift-tools-version: 6.2
// The fuzz targets, in a separate package so that the normal build never sees it. It compiles the
// product's sources through links, with the fuzzer's instrumentation; `run.sh` builds and runs it.
import PackageDescription

/// The toolchain's `libclang_rt.fuzzer_no_main`, found by `run.sh`.
let fuzzer = Context.environment["POSTERN_FUZZER_LIBRARY"] ?? "run Tests/Fuzzing/run.sh"

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
/// Edges and comparisons of this code guide the fuzzer.
let watched = settings + [.unsafeFlags(["-sanitize=fuzzer", "-parse-as-library"])]

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let coreMetrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let nio = ["NIOCore", "NIOPosix", "NIOHTTP1", "NIOTLS"].map {
    Target.Dependency.product(name: $0, package: "swift-nio")
}
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")

let package = Package(
    name: "Fuzzing",
    dependencies: [
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(
            url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "CMessages", path: "Sources/CMessages",
            cSettings: [.unsafeFlags(["-fsanitize=fuzzer-no-link"])],
            linkerSettings: [.linkedLibrary("protobuf-c")]),
        .target(name: "COpenAPI", path: "Sources/COpenAPI", exclude: ["Generated"]),
        .systemLibrary(name: "COpenSSL", path: "Sources/COpenSSL", pkgConfig: "openssl"),
        .systemLibrary(name: "CArgon2", path: "Sources/CArgon2", pkgConfig: "libargon2"),
        .systemLibrary(name: "CCrypt", path: "Sources/CCrypt", pkgConfig: "libcrypt"),
        .systemLibrary(name: "CIDN", path: "Sources/CIDN", pkgConfig: "libidn2"),
        .systemLibrary(name: "CYAML", path: "Sources/CYAML", pkgConfig: "yaml-0.1"),
        .systemLibrary(name: "CNGHTTP2", path: "Sources/CNGHTTP2", pkgConfig: "libnghttp2"),
        .systemLibrary(name: "CQREncode", path: "Sources/CQREncode", pkgConfig: "libqrencode"),
        .target(name: "JSON", path: "Sources/JSON", swiftSettings: watched),
        .target(
            name: "Texts", path: "Sources/Texts",
            exclude: ["README.md", "bundle.sh", "mail", "sms", "push", "page", "error", "export"],
            swiftSettings: settings),
        .target(
            name: "ServiceRuntime",
            dependencies: [
                "CYAML", "JSON", "Texts", logging, coreMetrics,
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ], path: "Sources/ServiceRuntime", swiftSettings: settings),
        .target(
            name: "Cryptography",
            dependencies: [
                "COpenSSL", "CArgon2", "CCrypt", "JSON", "ServiceRuntime", logging, coreMetrics,
                .product(name: "Metrics", package: "swift-metrics"),
            ], path: "Sources/Cryptography", swiftSettings: watched),
        .target(
            name: "Messages", dependencies: ["CMessages", "Cryptography", "JSON"],
            path: "Sources/Messages", swiftSettings: watched),
        .target(
            name: "RPC",
            dependencies: [
                "Messages", "Cryptography", "ServiceRuntime", logging, coreMetrics,
                nioSSL, .product(name: "Tracing", package: "swift-distributed-tracing"),
            ] + nio, path: "Sources/RPC", swiftSettings: watched),
        .target(
            name: "Addresses", dependencies: ["CIDN", "ServiceRuntime"], path: "Sources/Addresses",
            swiftSettings: watched),
        .target(
            name: "Contracts",
            dependencies: ["RPC", "Messages", "Cryptography", "ServiceRuntime"],
            path: "Sources/Contracts", swiftSettings: settings),
        .target(
            name: "WebService",
            dependencies: [
                "CNGHTTP2", "COpenAPI", "CQREncode", "Contracts", "RPC", "Messages",
                "Cryptography", "Addresses", "ServiceRuntime", "JSON", "Texts", nioSSL, httpTypes,
                logging, coreMetrics,
            ] + nio, path: "Sources/WebService", exclude: ["README.md"],
            swiftSettings: watched),
        // Of identity what reads the bytes of passkeys; all of it would need the stores too.
        .target(
            name: "IdentityService",
            dependencies: ["Cryptography", "JSON", "Addresses", "ServiceRuntime"],
            path: "Sources/IdentityService/Passkeys",
            sources: [
                "AuthenticatorData.swift", "ClientData.swift", "PasskeyChallenge.swift",
                "PasskeyOrigin.swift", "PasskeyRPID.swift", "PasskeyRefusal.swift",
                "PasskeyRelyingParty.swift", "PasskeyResponse.swift", "PasskeyRule.swift",
            ], swiftSettings: watched),
        .target(
            name: "TestSupport", dependencies: ["Cryptography", "ServiceRuntime"],
            path: "Support/TestSupport", sources: ["Certificates/DER.swift", "Passkeys"],
            swiftSettings: settings),
        // The functions that the fuzzer calls: the same that the normal tests run over the corpus.
        .target(
            name: "MessageFuzzing", dependencies: ["Messages"], path: "MessagesTests",
            sources: [
                "Generated/AllMessages.swift", "Fuzzing/MessageFuzz.swift", "Readings.swift",
            ],
            swiftSettings: settings),
        .target(
            name: "FrameFuzzing", dependencies: ["RPC", "Messages", nio[0]], path: "RPCTests",
            sources: [
                "Wire/Reading.swift", "Calls/BrokenRule.swift", "Calls/CallModel.swift",
                "Calls/StreamInstruction+Tests.swift", "Fuzzing/FrameDecoderFuzz.swift",
                "Fuzzing/EnvelopeFuzz.swift", "Fuzzing/CallMachineFuzz.swift",
            ], swiftSettings: settings),
        .target(
            name: "WebFuzzing",
            dependencies: [
                "WebService", "RPC", "Messages", "Addresses", "Cryptography", "ServiceRuntime",
                httpTypes, nio[0],
                nio[2], .product(name: "NIOEmbedded", package: "swift-nio"),
            ], path: "WebServiceTests/Fuzzing", exclude: ["WebCorpusTests.swift"],
            swiftSettings: settings),
        .target(
            name: "PasskeyFuzzing",
            dependencies: ["IdentityService", "Cryptography", "ServiceRuntime", "TestSupport"],
            path: "IdentityServiceTests/Passkeys", sources: ["PasskeyFuzz.swift"],
            swiftSettings: settings),
        .target(name: "CFuzzer", path: "CFuzzer"),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "CFuzzer", "MessageFuzzing", "FrameFuzzing", "WebFuzzing", "PasskeyFuzzing",
            ],
            path: "Driver", swiftSettings: settings,
            linkerSettings: [.unsafeFlags([fuzzer, "-lstdc++", "-lm"])]),
    ]
)
