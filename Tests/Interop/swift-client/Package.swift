// swift-tools-version: 6.2
import PackageDescription

// A package outside of Postern's, as an app's backend would be. It runs the lines of
// Protos/postern/gateway/swift.md.
let package = Package(
    name: "example",
    dependencies: [.package(name: "Postern", path: "../../..")],
    targets: [
        .executableTarget(
            name: "example",
            dependencies: [.product(name: "PosternClient", package: "Postern")],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ]
)
