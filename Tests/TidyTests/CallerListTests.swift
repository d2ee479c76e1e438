import Hosting
import RPC
import Testing

@Suite("The callers of each server")
struct CallerListTests {
    private static let folders = "Sources/postern/Applications/KeyFolders.swift"

    @Test("a server's own list of callers names those for which `postern up` makes keys")
    func same() throws {
        let checkout = try Checkout.here.get()
        let made = Dictionary(
            uniqueKeysWithValues: try checkout.text(of: Self.folders)
                .matches(of: /"([a-z-]+)": (\[[^\]]+\])/).map { (String($0.1), String($0.2)) })
        var expected: [String: String] = [:]
        for path in checkout.written(below: "Sources/postern-", suffix: "Program.swift") {
            let text = try checkout.text(of: path)
            let name = try #require(text.firstMatch(of: /application: "([a-z-]+)"/)?.1)
            let callers = try #require(text.firstMatch(of: /callers: (\[[^\]]*\])/)?.1)
            // The web service has no server of its own for calls.
            if callers != "[]" { expected[String(name)] = String(callers) }
        }
        #expect(expected.count == 5)
        #expect(made == expected)
    }

    private static let table = "Sources/Hosting/InnerCalls.swift"
    private static let servers = ["identity", "session", "rate-limit", "notification"]
    private static let services = [
        "identity": "IdentityService", "session": "SessionService",
        "notification": "NotificationService",
    ]

    @Test("each server permits our services the methods that they call, and no others")
    func called() throws {
        let checkout = try Checkout.here.get()
        let sources = try Self.services.values.flatMap(ModuleGraph.folders)
            .flatMap { checkout.written(below: $0, suffix: ".swift") }
            .map { try SwiftSource($0, in: checkout) }
        let calls = try RPCCalls(in: sources, IdentifierIndex(sources), of: checkout)
        for (caller, service) in Self.services {
            let made = calls.methods.filter { calls.callers(of: $0).contains(service) }
            let called = Set(made.map(\.fullName))
            let permitted = Set(
                Self.servers.flatMap { ProgramDescription.innerCalls(at: $0)[caller] ?? [] }
                    .map(\.description))
            #expect(!called.isEmpty)
            expectNone(
                called.symmetricDifference(permitted).sorted().map {
                    Finding(
                        path: Self.table, line: 1,
                        complaint: called.contains($0)
                            ? "\(caller) calls \($0), and no row permits it"
                            : "\(caller) is permitted \($0), and calls it nowhere")
                })
        }
    }

    @Test("I-09: identity permits Admin to the tool and the gateway, and to none of our services")
    func admin() {
        let permitted = ProgramDescription.innerCalls(at: "identity").filter { _, patterns in
            patterns.contains {
                $0.matches("postern.gateway.v1.Admin/ListAccounts", isPublic: false)
            }
        }
        #expect(Set(permitted.keys) == ["gateway", "tool"])
    }
}
