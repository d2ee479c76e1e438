import Testing

@Suite("Comments and layout of the protos")
struct ProtoTests {
    @Test("the golden file has every generated message, so that Python's protobuf agrees with each")
    func golden() throws {
        let checkout = try Checkout.here.get()
        let golden = try checkout.text(of: "Tests/MessagesTests/Golden/golden.txt")
        let tested = Set(
            golden.split(separator: "\n").filter { $0.hasPrefix("message\t") }
                .compactMap { $0.split(separator: "\t").dropFirst(2).first })
        let code = checkout.paths.filter { $0.hasPrefix("Sources/Messages/Generated/") }
        let missing = try code.flatMap { path in
            try checkout.text(of: path).matches(of: /fullName: String \{ "([a-zA-Z0-9_.]+)" \}/)
                .map(\.1).filter { !tested.contains($0) }.map(String.init)
        }
        #expect(missing == [], "run Tests/MessagesTests/Golden/make_golden.py")
    }

    @Test("every service, rpc, message, field, enum and value has a comment")
    func comments() throws {
        let sources = try ProtoSource.all()
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
        #expect(ProtoGraph(try ProtoSource.all()).cycles() == [])
    }

    @Test("a package is postern.<service>.v<number>, and its folder matches")
    func packages() throws {
        for source in try ProtoSource.all() {
            let folder = source.path.split(separator: "/").dropFirst().dropLast()
            #expect(source.package == folder.joined(separator: "."), "\(source.path)")
        }
    }

    @Test("an rpc's errors are codes of the catalogue")
    func errors() throws {
        let catalogue = try Checkout.here.get().text(
            of: "Sources/ServiceRuntime/Errors/ErrorCatalogue.swift")
        let rpcs = try ProtoSource.all().flatMap { try Self.errors(of: $0.path) }
        #expect(rpcs.count > 20)
        for rpc in rpcs {
            for code in rpc.codes {
                #expect(catalogue.contains(" = \"\(code)\"\n"), "\(rpc.name): \(code)")
            }
        }
    }

    @Test("what the pages for apps say about an error of a call is about one that its rpc names")
    func pageErrors() throws {
        let rpcs = try Self.publicErrors()
        let advice = try ErrorAdvice.all().filter { !$0.calls.isEmpty }
        #expect(advice.count > 40)
        for entry in advice {
            for call in entry.calls {
                #expect(rpcs.contains { $0.name == call }, "\(entry.path): \(call)")
            }
            let stated = rpcs.filter { entry.calls.contains($0.name) }
            #expect(
                stated.contains { $0.codes.contains(entry.code) },
                "\(entry.path): \(entry.code) of \(entry.calls)")
        }
    }

    @Test("the pages for apps say what to do about each error of a public call")
    func errorAdvice() throws {
        let advice = try ErrorAdvice.all()
        let general = Set(advice.filter(\.calls.isEmpty).map(\.code))
        for rpc in try Self.publicErrors() {
            let own = advice.filter { $0.calls.contains(rpc.name) }.map(\.code)
            let missing = rpc.codes.subtracting(general).subtracting(own)
            #expect(missing.isEmpty, "\(rpc.name): \(missing.sorted())")
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

    @Test("in the public API the name of an rpc is unique, and times are signed, of 64 bits")
    func publicNames() throws {
        let declarations = try ProtoSource.all().filter { $0.package == "postern.gateway.v1" }
            .flatMap(\.declarations)
        let rpcs = declarations.filter { $0.kind == .rpc }
            .map { String($0.name.split(separator: ".").last ?? "") }
        #expect(rpcs.count > 30 && Set(rpcs).count == rpcs.count)
        let times = declarations.filter { $0.kind == .field && $0.name.hasSuffix("_ms") }
        #expect(times.count > 20)
        #expect(times.filter { $0.type != "int64" }.map(\.name) == [])
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

    /// An rpc, with the codes of its `errors:` lines.
    private struct NamedErrors {
        /// `Service/Method`.
        let name: String
        let codes: Set<String>
        /// Whether apps may call it.
        var isPublic = false
    }

    /// The rpcs of the gateway that apps may call.
    private static func publicErrors() throws -> [NamedErrors] {
        try ProtoSource.all().filter { $0.package == "postern.gateway.v1" }
            .flatMap { try errors(of: $0.path) }
            .filter(\.isPublic)
    }

    /// The rpcs of a file.
    private static func errors(of path: String) throws -> [NamedErrors] {
        var service: Substring = ""
        var codes: Set<String> = []
        var rpcs: [NamedErrors] = []
        for line in try Checkout.here.get().text(of: path).split(separator: "\n").map(\.trimmed) {
            if line.hasPrefix("// errors: ") {
                codes.formUnion(
                    line.dropFirst("// errors: ".count).split(separator: ",")
                        .map { String($0.trimmed) })
            } else if line.hasPrefix("service ") {
                service = line.dropFirst("service ".count).prefix { $0 != " " }
            } else if line.hasPrefix("rpc ") {
                let method = line.dropFirst("rpc ".count).prefix { $0 != "(" }
                rpcs.append(NamedErrors(name: "\(service)/\(method)", codes: codes))
                codes = []
            } else if line == "option (postern.options.v1.public) = true;", !rpcs.isEmpty {
                rpcs[rpcs.count - 1].isPublic = true
            }
        }
        return rpcs
    }

    private static func uncommented(_ source: ProtoSource) -> [Finding] {
        source.declarations.filter { !$0.isCommented && $0.kind != .extend }.map {
            Finding(path: source.path, line: $0.line, complaint: "\($0.name) has no comment")
        }
    }
}
