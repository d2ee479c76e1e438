import Glibc
import Messages
import RPC

/// Whom a limit by address is about: the person's address where the application may assert it and
/// did, else the application as a whole: or leaving the address out would lift the limit.
///
/// What is no IPv4 or IPv6 address counts as left out. An address with its port, or a forwarding
/// header that strangers can add to, would be another subject with each call.
enum LimitedCaller: Hashable, Sendable {
    case address(String)
    case application(String)

    /// The longest IPv6 address (RFC 4291) and the name of an interface.
    private static let addressBytesMax = 64

    /// The caller of a call.
    init(_ context: CallContext) {
        if let address = context.clientAddress, Self.isAddress(address) {
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

    private static func isAddress(_ text: String) -> Bool {
        guard text.utf8.count <= addressBytesMax else { return false }
        var v4 = in_addr()
        var v6 = in6_addr()
        return inet_pton(AF_INET, text, &v4) == 1
            || inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &v6) == 1
    }
}
