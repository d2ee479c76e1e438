import Messages
import RPC
import ServiceRuntime

/// Whom a limit by address is about: the person's address where the application may assert it and
/// did, else the application as a whole: or leaving the address out would lift the limit.
enum LimitedCaller: Hashable, Sendable {
    case address(String)
    case application(String)

    /// The caller of a call.
    /// - Throws: as `CallContext.personsAddress`.
    init(_ context: CallContext) throws(ServiceError) {
        if let address = try context.personsAddress() {
            self = .address(address)
        } else {
            self = .application(context.application)
        }
    }

    /// As subjects name it.
    var subject: String {
        switch self {
        case .address(let text), .application(let text): text
        }
    }

    /// As the limiter is told who names a batch's subjects.
    var namedBy: RateLimitV1.ConsumeRequest.NamedBy {
        switch self {
        case .address(let text): .clientAddress(text)
        case .application(let text): .application(text)
        }
    }
}

extension CallContext {
    /// The longest IPv6 address (RFC 4291) and the name of an interface.
    private static let addressBytesMax = 64

    /// The person's address; nil where none is asserted, or the caller may not assert one.
    ///
    /// One that is no bare IPv4 or IPv6 address is refused: an address with its port would be another
    /// subject with each call, and one that counted as none would share the application's limits,
    /// which are far larger than an address's.
    /// - Throws: `rpc/invalid-argument` with `client-address` for anything but one bare address.
    func personsAddress() throws(ServiceError) -> String? {
        guard mayAssertClientAddress else { return nil }
        let entries = metadata.entries.filter { $0.key == Metadata.Key.clientAddress }
        guard !entries.isEmpty else { return nil }
        guard entries.count == 1, let text = clientAddress,
            text.utf8.count <= Self.addressBytesMax, ClientAddress.bytes(of: text) != nil
        else { throw ServiceError(.invalidArgument, fields: [Metadata.Key.clientAddress]) }
        return text
    }
}
