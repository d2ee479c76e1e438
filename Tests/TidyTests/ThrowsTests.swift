import Testing

@Suite("Functions that other modules call say which errors they throw, those of rpcs in the proto")
struct ThrowsTests {
    @Test("every throwing package or public function that is no rpc's has a `- Throws:` line")
    func documented() throws {
        let rpcs = try RPCMethods.all()
        expectNone(try Self.sources().flatMap { Self.undocumented(in: $0, rpcs) })
    }

    /// A second list is incomplete after the next change, and no test sees it.
    @Test("no function of an rpc has a `- Throws:` line: its errors stand in its proto only")
    func rpcsDocumented() throws {
        let rpcs = try RPCMethods.all()
        let sources = try Self.sources()
        let functions = sources.map { Self.functions(of: rpcs, in: $0).count }.reduce(0, +)
        #expect(rpcs.signatures.count > 100 && functions > 100)
        expectNone(sources.flatMap { Self.repeated(in: $0, rpcs) })
    }

    @Test("a throwing function without the line is found; a closure that throws is not one")
    func twin() {
        let text = """
            /// Known.
            package func a(
                _ body: () throws -> Void
            ) throws {
            }
            /// Known.
            /// - Throws: `rpc/internal`.
            package func b() throws(ServiceError) {
            }
            /// Known.
            package func c(_ body: () throws -> Void) {
            }
            """
        let found = Self.undocumented(in: SwiftSource(path: "x", text: text), RPCMethods([]))
        #expect(found.map(\.line) == [2])
    }

    @Test("an rpc's list of errors is found; a helper's is not, and a missing one is none")
    func planted() {
        let generated = """
            package protocol AccountsService: AccountsAPI {
                /// Known.
                /// - Throws: `auth/weak-password`.
                func register(
                    _ request: IdentityV1.RegisterRequest, _ context: CallContext
                ) async throws -> IdentityV1.RegisterResponse

                func upload(_ incoming: IncomingItems<GatewayV1.Item>, _ call: Call) throws

                func call(_ method: MethodDescription, _ context: CallContext) throws -> Call
            }
            """
        let written = """
            extension AccountsHandler {
                /// Known.
                /// - Throws: `auth/weak-password`.
                func register(
                    _ request: IdentityV1.RegisterRequest, _ context: CallContext
                ) async throws -> IdentityV1.RegisterResponse {
                }
                /// - Throws: as `register`.
                func upload(_ items: IncomingItems<GatewayV1.Item>, _ call: Call) throws {}
                /// - Throws: `auth/weak-password`.
                func register(_ applicant: Applicant) throws {}
                /// - Throws: `auth/session-ended`.
                func call(_ method: MethodDescription, _ context: CallContext) throws -> Call {}
                /// Known.
                package func register(_ request: IdentityV1.RegisterRequest) throws {}
            }
            """
        let rpcs = RPCMethods([SwiftSource(path: "x", text: generated)])
        #expect(
            rpcs.signatures == [
                "register IdentityV1.RegisterRequest", "upload IncomingItems<GatewayV1.Item",
            ])
        let source = SwiftSource(path: "x", text: written)
        #expect(Self.repeated(in: source, rpcs).map(\.line) == [4, 9])
        #expect(Self.undocumented(in: source, rpcs) == [])
    }

    private static func sources() throws -> [SwiftSource] {
        let checkout = try Checkout.here.get()
        return try checkout.written(below: "Sources/", suffix: ".swift")
            .map { try SwiftSource($0, in: checkout) }
    }

    /// The lines in which functions of rpcs begin.
    private static func functions(of rpcs: RPCMethods, in source: SwiftSource) -> [Int] {
        source.lineIndices(containing: "func ").filter { rpcs.contains(source, $0) }
    }

    /// Functions of rpcs with a `- Throws:` line.
    private static func repeated(in source: SwiftSource, _ rpcs: RPCMethods) -> [Finding] {
        functions(of: rpcs, in: source).filter { hasThrows(source, $0) }.map { index in
            Finding(
                path: source.path, line: index + 1,
                complaint: "an rpc's errors stand in its proto: \(source.lines[index].trimmed)")
        }
    }

    private static func hasThrows(_ source: SwiftSource, _ index: Int) -> Bool {
        source.comment(above: index).contains { $0.contains("- Throws:") }
    }

    /// Throwing package and public functions without a `- Throws:` line, except those of rpcs.
    private static func undocumented(in source: SwiftSource, _ rpcs: RPCMethods) -> [Finding] {
        Declarations.widelyVisibleLines(of: source).compactMap { index in
            guard let name = Declarations.widelyVisible(in: source.code[index]),
                name.hasPrefix("func ") || name.hasPrefix("init"),
                throwsErrors(source, index), !hasThrows(source, index),
                !rpcs.contains(source, index)
            else { return nil }
            return Finding(
                path: source.path, line: index + 1,
                complaint: "no `- Throws:`: \(source.lines[index].trimmed)")
        }
    }

    /// Whether `throws` stands in the signature outside of its parameters.
    private static func throwsErrors(_ source: SwiftSource, _ first: Int) -> Bool {
        var depth = 0
        var outside = ""
        for line in source.code[first..<min(first + 20, source.code.count)] {
            for character in line {
                switch character {
                case "(", "[": depth += 1
                case ")", "]": depth -= 1
                case "{" where depth == 0: return outside.contains(" throws")
                default: if depth == 0 { outside.append(character) }
                }
            }
            outside.append(" ")
        }
        return false
    }
}
