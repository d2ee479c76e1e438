import Testing

@Suite("Comments and layout of the protos")
struct ProtoTests {
    @Test("every service, rpc, message, field, enum and value has a comment")
    func comments() throws {
        let sources = try Self.protos()
        #expect(sources.flatMap(\.declarations).count > 100)
        expectNone(sources.flatMap(Self.uncommented))
    }

    @Test("every file begins with a comment that says its purpose")
    func headers() throws {
        let checkout = try Checkout.here.get()
        for path in checkout.paths where path.hasSuffix(".proto") {
            #expect(try checkout.text(of: path).hasPrefix("// "), "\(path)")
        }
    }

    @Test("no message is recursive: hostile nesting could overflow the stack")
    func recursion() throws {
        #expect(ProtoGraph(try Self.protos()).cycles() == [])
    }

    @Test("a package is postern.<service>.v<number>, and its folder matches")
    func packages() throws {
        for source in try Self.protos() {
            let folder = source.path.split(separator: "/").dropFirst().dropLast()
            #expect(source.package == folder.joined(separator: "."), "\(source.path)")
        }
    }

    @Test("the public API and the wire import no proto of an inner service")
    func imports() throws {
        let checkout = try Checkout.here.get()
        let open = ["gateway", "wire", "options", "health", "reflection"]
        for part in open {
            for path in checkout.written(below: "Protos/postern/\(part)/", suffix: ".proto") {
                let lines = try checkout.text(of: path).split(separator: "\n")
                for line in lines where line.hasPrefix("import \"postern/") {
                    let imported = line.dropFirst("import \"postern/".count).prefix { $0 != "/" }
                    #expect(open.contains(String(imported)), "\(path): \(line)")
                }
            }
        }
    }

    @Test("an uncommented field and a recursive message are found")
    func twin() {
        let text = """
            // A.
            package p;
            // B.
            message B {
              // In C.
              C c = 1;
              int32 n = 2;
            }
            // C.
            message C {
              oneof kind {
                // Back again.
                p.B b = 1;
              }
            }
            """
        let source = ProtoSource(path: "x", text: text)
        #expect(Self.uncommented(source).map(\.line) == [7, 11])
        #expect(ProtoGraph([source]).cycles() == ["p.B", "p.C"])
    }

    private static func protos() throws -> [ProtoSource] {
        let checkout = try Checkout.here.get()
        return try checkout.written(below: "Protos/postern/", suffix: ".proto")
            .map { ProtoSource(path: $0, text: try checkout.text(of: $0)) }
    }

    private static func uncommented(_ source: ProtoSource) -> [Finding] {
        source.declarations.filter { !$0.isCommented && $0.kind != .extend }.map {
            Finding(path: source.path, line: $0.line, complaint: "\($0.name) has no comment")
        }
    }
}
