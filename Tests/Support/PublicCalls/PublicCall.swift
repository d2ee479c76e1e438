package import Messages
package import RPC

/// A public method and a request of it with its fields at their bounds. `PublicCalls` is the table
/// of all.
package struct PublicCall: Sendable {
    /// Makes the messages of a call: one request, or the items of an upload.
    package typealias Messages =
        @Sendable (_ caller: any PreparedCaller, _ number: Int) async throws
        -> [any ProtobufMessage]

    /// The method.
    package let method: MethodDescription
    /// Who calls it.
    package let caller: CallerKind
    /// What distinguishes this request from the method's others, where two bounds exclude each
    /// other; empty if the method has one.
    package let variant: String
    /// What the caller has prepared serves one call: each further call that is to succeed needs
    /// another caller.
    package let isOnce: Bool
    /// Prepares what must exist, and makes the messages of the caller's call of that number, from
    /// 0.
    package let messages: Messages

    /// `Service/Method`, and the variant.
    package var name: String {
        let own = method.name.split(separator: ".").last.map(String.init) ?? method.name
        return variant.isEmpty ? own : "\(own), \(variant)"
    }

    /// A call with one request.
    /// - Parameter documents: what the owner has before.
    init<Request: ProtobufMessage>(
        _ method: MethodDescription, _ caller: CallerKind, _ variant: String = "",
        once isOnce: Bool = false, holding documents: [GatewayV1.DocumentWrite] = [],
        _ request: @escaping @Sendable (any PreparedCaller, Int) async throws -> Request
    ) {
        self.init(
            method, caller, variant, once: isOnce,
            items: { caller, number in
                if !documents.isEmpty { try await caller.holds(documents, as: .owner) }
                return [try await request(caller, number)]
            })
    }

    /// A call with the same request each time.
    init(_ method: MethodDescription, _ caller: CallerKind, _ request: some ProtobufMessage) {
        self.init(method, caller, "", request)
    }

    /// The same, where the method has other requests too.
    init(
        _ method: MethodDescription, _ caller: CallerKind, _ variant: String,
        _ request: some ProtobufMessage
    ) {
        self.init(method, caller, variant, items: { _, _ in [request] })
    }

    /// A call with the items of an upload.
    init(
        _ method: MethodDescription, _ caller: CallerKind, _ variant: String = "",
        once isOnce: Bool = false, items messages: @escaping Messages
    ) {
        self.method = method
        self.caller = caller
        self.variant = variant
        self.isOnce = isOnce
        self.messages = messages
    }
}

/// Who makes a call.
package enum CallerKind: Sendable {
    /// Anyone, outside a session.
    case stranger
    /// A guest, in its session.
    case guest
    /// The owner of a verified account, in a session with a recent proof.
    case owner
    /// The owner of an account whose address is not verified.
    case newcomer
    /// A child, whose account waits for a parent.
    case child
    /// An app's backend, in an owner's session where the method reads one.
    case backend
    /// The backend that is named in `document-writers`, `push-senders` and `account-managers`, with
    /// a token for each request.
    case writer
    /// The support desk that is named for `Admin`.
    case support

    /// Whether it is a browser or a phone. Public methods are for these, and other methods are not:
    /// an option that is set by mistake contradicts the table, and a test fails.
    package var isDevice: Bool {
        switch self {
        case .stranger, .guest, .owner, .newcomer, .child: true
        case .backend, .writer, .support: false
        }
    }

    /// The application with whose key it calls the gateway.
    package var application: String {
        switch self {
        case .writer: "shop"
        case .support: "support"
        default: "app"
        }
    }
}
