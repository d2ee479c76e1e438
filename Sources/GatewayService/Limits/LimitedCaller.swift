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
