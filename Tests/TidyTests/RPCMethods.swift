/// The methods of rpcs, as the generated protocols of services declare them: by name and by type of
/// the request.
struct RPCMethods {
    /// For example "signOut GatewayV1.SignOutRequest".
    let signatures: Set<String>

    /// Those of all services.
    static func all() throws -> RPCMethods {
        let checkout = try Checkout.here.get()
        return RPCMethods(
            try checkout.paths.filter {
                $0.hasPrefix("Sources/Contracts/Generated/") && $0.hasSuffix(".swift")
            }
            .map { try SwiftSource($0, in: checkout) })
    }

    /// Those of generated files.
    init(_ sources: [SwiftSource]) {
        signatures = Set(
            sources.flatMap { source in
                source.lineIndices(containing: "func ").compactMap { Self.signature(source, $0) }
            })
    }

    /// Whether the function that begins in a line is an rpc's: it has the name and the request of
    /// one. A helper of an rpc has another name, or takes something else.
    func contains(_ source: SwiftSource, _ index: Int) -> Bool {
        Self.signature(source, index).map(signatures.contains) ?? false
    }

    /// Name and request of the function that begins in a line; nil if none does, and for one whose
    /// first parameter is neither a message of a proto nor a stream of them.
    private static func signature(_ source: SwiftSource, _ index: Int) -> String? {
        // A long list of parameters begins in the next line.
        let declaration = source.code[index...].prefix(2).joined(separator: " ")
        let pattern = /func `?(\w+)`?\(\s*_ \w+: ((?:IncomingItems<)?\w+\.\w+)/
        return declaration.firstMatch(of: pattern).map { "\($0.1) \($0.2)" }
    }
}
