/// The rpcs that Swift sources call. Of which service a call is, is known by what it is made on:
///
///     on                                                         for instance
///     a name of the service's protocol or client, in a service   `let sessions: any SessionsAPI`
///     a client that is made there                                `ClockClient(channel).check(…)`
///     what a closure is given, in the file of its type           `(ClockClient, CallContext) …`
///     the protocol itself, in an extension of it                 `extension SessionsAPI`
///
/// The name of the function alone does not say it: several services have a `check`.
struct RPCCalls {
    /// An rpc of a `.proto`.
    struct Method: Hashable {
        let package: String
        let service: String
        let name: String

        /// As callers lists have it: `package.Service/Method`.
        var fullName: String { "\(package).\(service)/\(name)" }
        /// The name of its function.
        var function: String { name.prefix(1).lowercased() + name.dropFirst() }
    }

    /// All rpcs of the checkout, in the order of their files.
    let methods: [Method]
    private var callers: [Method: Set<String>] = [:]
    /// The services that a name stands for, in a service or a file. An empty name is `self`.
    private var services: [String: [String: Set<String>]] = [:]

    /// - Parameter index: of the sources.
    init(in sources: [SwiftSource], _ index: IdentifierIndex, of checkout: Checkout) throws {
        methods = try Self.methods(in: checkout)
        for source in sources { readNames(of: source) }
        for method in methods {
            let calls = index.places(of: method.function).filter { isCall($0, of: method.service) }
            callers[method] = Set(calls.compactMap { ModuleGraph.service(of: $0.path) })
        }
    }

    /// The services and other modules that call a method (`ModuleGraph.service`).
    func callers(of method: Method) -> Set<String> { callers[method] ?? [] }

    private func isCall(_ place: IdentifierIndex.Place, of service: String) -> Bool {
        func names(_ name: String, in scope: String) -> Bool {
            services[scope]?[name]?.contains(service) == true
        }
        guard place.isCalled else { return false }
        guard place.isMember else { return names("", in: place.path) }
        guard let receiver = place.receiver else { return false }
        return receiver == "\(service)Client" || names(receiver, in: place.path)
            || names(receiver, in: ModuleGraph.service(of: place.path) ?? "")
    }

    private mutating func readNames(of source: SwiftSource) {
        let caller = ModuleGraph.service(of: source.path) ?? ""
        for line in source.lineIndices(containing: "API", "Client").map({ source.code[$0] }) {
            for typed in line.matches(of: /(\w+)(?::| =) \(?(?:any )?(\w+)(?:API|Client)(?!\w)/) {
                add(typed.2, as: typed.1, in: caller)
            }
            for given in line.matches(of: /\((\w+)(?:API|Client),/) {
                for name in Self.closureParameters(in: source) {
                    add(given.1, as: name, in: source.path)
                }
            }
            for extended in line.matches(of: /extension (\w+)API(?!\w)/) {
                add(extended.1, as: "", in: source.path)
            }
        }
    }

    private mutating func add(_ service: Substring, as name: Substring, in scope: String) {
        services[scope, default: [:]][String(name), default: []].insert(String(service))
    }

    /// What the closures of a file with two parameters call the first.
    private static func closureParameters(in source: SwiftSource) -> [Substring] {
        ["$0"]
            + source.lineIndices(containing: " in").flatMap {
                source.code[$0].matches(of: /\{ (\w+), \w+ in(?!\w)/).map(\.1)
            }
    }

    private static func methods(in checkout: Checkout) throws -> [Method] {
        var methods: [Method] = []
        for path in checkout.written(below: "Protos/postern/", suffix: ".proto") {
            let source = ProtoSource(path: path, text: try checkout.text(of: path))
            var service = ""
            for declared in source.declarations where [.service, .rpc].contains(declared.kind) {
                let name = String(declared.name.dropFirst(source.package.count + 1))
                if declared.kind == .service {
                    service = name
                } else {
                    methods.append(Method(package: source.package, service: service, name: name))
                }
            }
        }
        return methods
    }
}
