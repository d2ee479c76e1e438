import Testing

@Suite("The top level of the checkout")
struct TopLevelTests {
    /// The entries of the top level that a new reader sees.
    private let allowed: Set<String> = [
        "Package.swift", "README.md", "Sources", "Tests", "Protos", "docker",
        ".ci", ".gitattributes", ".gitignore", ".swift-format", ".editorconfig",
    ]

    @Test("the top level contains exactly the entries that the design names")
    func topLevel() throws {
        let checkout = try Checkout.here.get()
        let present = Set(
            checkout.paths.compactMap { $0.split(separator: "/").first.map(String.init) })
        #expect(present.subtracting(allowed).sorted() == [])
        #expect(allowed.subtracting(present).sorted() == [])
    }

    @Test("no file or folder has a generic name such as utils or helpers")
    func drawers() throws {
        let drawers = ["utils", "util", "helpers", "helper", "common", "misc", "manager"]
        let findings = try Checkout.here.get().paths.filter { path in
            path.lowercased().split(whereSeparator: { "/.".contains($0) })
                .contains { drawers.contains(String($0)) || $0.hasSuffix("manager") }
        }
        #expect(findings == [])
    }

    @Test("the first page, the images and the list of changes have the version of the programs")
    func version() throws {
        let checkout = try Checkout.here.get()
        let source = try checkout.text(
            of: "Sources/ServiceRuntime/Lifecycle/ProcessInstance.swift")
        let version = try #require(source.firstMatch(of: /text = "(\d+\.\d+\.\d+)"/)?.1)
        let label = "org.opencontainers.image.version=\"\(version)\""
        #expect(try checkout.text(of: "docker/compose/Dockerfile").contains(label))
        #expect(try checkout.text(of: "docker/CHANGES.md").contains("\n## \(version)"))
        #expect(try checkout.text(of: "README.md").contains("\n- Version \(version)"))
    }

    @Test(
        "each package that a Package.swift names has a version in docker/versions.json",
        arguments: [
            "Package.swift", "Protos/generator/Package.swift", "Tests/Fuzzing/Package.swift",
        ])
    func versions(manifest: String) throws {
        let checkout = try Checkout.here.get()
        let versions = try checkout.text(of: "docker/versions.json")
        let names = try checkout.text(of: manifest)
            .matches(of: /url: "https:[^"]+\/([^"\/]+)"/).map(\.1)
        #expect(!names.isEmpty)
        for name in names {
            #expect(versions.contains("\"identity\": \"\(name)\""), "docker/versions.sh update")
        }
    }
}
