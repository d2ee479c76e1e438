// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who builds Postern has to build a protobuf compiler's
// library: only who changes a .proto does (see ../generate.sh).
let package = Package(
    name: "generator",
    dependencies: [
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0")
    ],
    targets: [
        .executableTarget(
            name: "generator",
            dependencies: [
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
                .product(name: "SwiftProtobufPluginLibrary", package: "swift-protobuf"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
    ]
)
