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
    private static let modules = [
        "identity": "IdentityService", "session": "SessionService",
        "notification": "NotificationService",
    ]

    @Test("each server permits our services the methods that they call, and no others")
    func called() throws {
        let checkout = try Checkout.here.get()
        let methods = try methods(in: checkout)
        for (caller, module) in Self.modules {
            let calls = try calls(of: module, to: methods, in: checkout)
            let permitted = Set(
                Self.servers.flatMap { ProgramDescription.innerCalls(at: $0)[caller] ?? [] }
                    .map(\.description))
            #expect(!calls.isEmpty)
            expectNone(
                calls.symmetricDifference(permitted).sorted().map {
                    Finding(
                        path: Self.table, line: 1,
                        complaint: calls.contains($0)
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

    /// The full names of all methods, by the protocol that the generator makes of their service.
    private func methods(in checkout: Checkout) throws -> [String: [String]] {
        var methods: [String: [String]] = [:]
        for path in checkout.written(below: "Protos/postern/", suffix: ".proto") {
            let text = try checkout.text(of: path)
            let package = ProtoSource(path: path, text: text).package
            var service = ""
            for declared in text.matches(of: /\n *(service|rpc) (\w+)/) {
                if declared.1 == "service" {
                    service = String(declared.2)
                } else {
                    methods["\(service)API", default: []]
                        .append("\(package).\(service)/\(declared.2)")
                }
            }
        }
        return methods
    }

    /// The methods that a module calls through its properties and parameters of such protocols.
    private func calls(
        of module: String, to methods: [String: [String]], in checkout: Checkout
    ) throws -> Set<String> {
        let texts = try checkout.written(below: "Sources/\(module)/", suffix: ".swift")
            .map { try SwiftSource($0, in: checkout).code.joined(separator: "\n") }
        var callees: [String: Set<String>] = [:]
        for text in texts {
            for declared in text.matches(of: /(\w+): any (\w+API)\b/) {
                callees[String(declared.1), default: []]
                    .formUnion(methods[String(declared.2)] ?? [])
            }
        }
        var calls: Set<String> = []
        func add(_ name: Substring, among callable: some Sequence<String>) {
            let method = "/" + name.prefix(1).uppercased() + name.dropFirst()
            calls.formUnion(callable.filter { $0.hasSuffix(method) })
        }
        for text in texts {
            for call in text.matches(
                of: /\b(\w+)\??\s*\.(\w+)[({]/.wordBoundaryKind(.simple))
            {
                add(call.2, among: callees[String(call.1)] ?? [])
            }
            // What extends such a protocol calls without a receiver.
            for extended in text.matches(of: /extension (\w+API)\b/) {
                for call in text.matches(of: /await (\w+)\(/) {
                    add(call.1, among: methods[String(extended.1)] ?? [])
                }
            }
        }
        return calls
    }
}
