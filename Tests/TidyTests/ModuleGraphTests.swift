import Testing

@Suite("The module graph has no upward imports")
struct ModuleGraphTests {
    private let allowed = Dictionary(
        uniqueKeysWithValues: ModuleGraph.modules.map { ($0.name, $0.imports) })

    @Test("each module of the table imports only modules above its own line")
    func table() {
        var below = ModuleGraph.cModules
        for module in ModuleGraph.modules {
            #expect(module.imports.subtracting(below).sorted() == [], "\(module.name)")
            below.insert(module.name)
        }
    }

    @Test("every module imports only what its line in the table allows")
    func imports() throws {
        let checkout = try Checkout.here.get()
        let findings = try checkout.paths
            .filter { $0.hasPrefix("Sources/") && $0.hasSuffix(".swift") }
            .flatMap { try strayImports(SwiftSource($0, in: checkout)) }
        expectNone(findings)
    }

    @Test("each C module is imported by one Swift module, and no library imports Foundation")
    func glass() throws {
        let checkout = try Checkout.here.get()
        var importers: [String: Set<String>] = [:]
        for path in checkout.paths where path.hasSuffix(".swift") {
            guard let module = ModuleGraph.module(of: path) else { continue }
            for found in Imports.of(try SwiftSource(path, in: checkout)) {
                importers[found.module, default: []].insert(module)
            }
        }
        for name in ModuleGraph.cModules {
            #expect(importers[name, default: []].count <= 1, "\(name)")
        }
        // Foundation adds 55 MB to a static program; FoundationEssentials adds none of that.
        #expect(importers["Foundation", default: []].subtracting(["postern"]).sorted() == [])
    }

    @Test("every module below Sources has its line in the table")
    func unknown() throws {
        let present = Set(try Checkout.here.get().paths.compactMap(ModuleGraph.module))
        #expect(present.subtracting(allowed.keys).subtracting(ModuleGraph.cModules) == [])
    }

    @Test("an upward import is found in each way of writing it")
    func upwards() {
        for line in ["import SessionService", "package import SessionService"] {
            let source = SwiftSource(path: "Sources/Storage/A/B.swift", text: line)
            #expect(strayImports(source).count == 1, "\(line)")
        }
        let inside = SwiftSource(path: "Sources/Storage/A/B.swift", text: "import struct CSQLite.x")
        #expect(strayImports(inside).isEmpty)
    }

    @Test(
        "identity's modules import one way, which is down to who may sign in",
        arguments: [
            ("IdentityService", "PersonalData"), ("IdentityService", "AccountLife"),
            ("IdentityService", "IdentityAssembly"), ("PersonalData", "AccountLife"),
            ("PersonalData", "IdentityAssembly"), ("AccountLife", "IdentityAssembly"),
        ])
    func identity(lower: String, upper: String) {
        let up = SwiftSource(path: "Sources/\(lower)/A.swift", text: "package import \(upper)")
        #expect(strayImports(up).count == 1)
        let down = SwiftSource(path: "Sources/\(upper)/A.swift", text: "import \(lower)")
        #expect(strayImports(down).isEmpty)
    }

    @Test("a part of a service imports the module whose store it uses; no other service does")
    func parts() {
        for (part, service) in ModuleGraph.parts {
            #expect(allowed[part]?.contains(service) == true, "\(part)")
            let path = "Sources/SessionService/A.swift"
            #expect(strayImports(SwiftSource(path: path, text: "import \(part)")).count == 1)
            #expect(ModuleGraph.service(of: "Sources/\(part)/A.swift") == service)
            #expect(ModuleGraph.folders(of: service).contains("Sources/\(part)/"))
        }
        #expect(ModuleGraph.service(of: "Sources/Storage/A.swift") == "Storage")
        #expect(ModuleGraph.folders(of: "Storage") == ["Sources/Storage/"])
    }

    private func strayImports(_ source: SwiftSource) -> [Finding] {
        guard let module = ModuleGraph.module(of: source.path) else { return [] }
        let ours = ModuleGraph.cModules.union(allowed.keys)
        return Imports.of(source)
            .filter { ours.contains($0.module) && allowed[module]?.contains($0.module) != true }
            .map {
                Finding(
                    path: source.path, line: $0.line,
                    complaint: "\(module) must not import \($0.module)")
            }
    }
}
