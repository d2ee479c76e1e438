import Addresses
import Messages
import RPC
import ServiceRuntime

/// The subject of a limit by address: the user's address where the application may assert it and
/// did, otherwise the application as a whole. Attack: an application leaves the address out to lift
/// the limit.
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

    /// The text that names the caller in a subject.
    var subject: String {
        switch self {
        case .address(let text), .application(let text): text
        }
    }

    /// The form in which the rate limiter gets the origin of a batch's subjects.
    var namedBy: RateLimitV1.ConsumeRequest.NamedBy {
        switch self {
        case .address(let text): .clientAddress(text)
        case .application(let text): .application(text)
        }
    }
}

extension CallContext {
    /// Longer than any IPv6 address (RFC 4291) with an interface name.
    private static let addressBytesMax = 64

    /// The user's address; nil where none is asserted, or where the caller may not assert one.
    ///
    /// Anything except one bare IPv4 or IPv6 address is rejected. An address with a port would be
    /// another subject in each call. If it counted as no address, it would share the application's
    /// limits, which are much larger.
    /// - Throws: `rpc/invalid-argument` with `client-address` for anything except one bare address.
    func personsAddress() throws(ServiceError) -> String? {
        guard mayAssertClientAddress else { return nil }
        let entries = metadata.entries.filter { $0.key == Metadata.Key.clientAddress }
        guard !entries.isEmpty else { return nil }
        guard entries.count == 1, let text = clientAddress,
            text.utf8.count <= Self.addressBytesMax, ClientAddress(text) != nil
        else { throw ServiceError(.invalidArgument, fields: [Metadata.Key.clientAddress]) }
        return text
    }
}
