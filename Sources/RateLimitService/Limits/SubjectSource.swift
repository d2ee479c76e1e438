import Contracts
import Messages
import ServiceRuntime

/// The origin of a batch's subjects as far as the network shows it: the site of the client's
/// address, or an application that asserts no addresses, whose users cannot be distinguished.
///
/// Naming a subject of `CapacityClass.text` costs a stranger nothing, and its state occupies memory
/// for hours. So a batch with such a subject that has no state yet is charged to its origin:
///
///     the subject                          charged to the origin
///     has a state already                  no
///     is new, and its charge stays         yes: one of 1,000 an hour for a site, of 60,000 for an
///                                          application
///     is new, and is refunded              no longer
///     is that of a known device            no: strangers cannot name it
///
/// At this limit only that origin is refused.
enum SubjectSource: Hashable, Sendable {
    /// The site of this client address.
    case site(String)
    case application(String)

    private static let bytesMax = 512

    /// - Returns: nil if the caller gives no origin.
    /// - Throws: `rpc/invalid-argument` for an empty or too long text.
    init?(_ named: RateLimitV1.ConsumeRequest.NamedBy?) throws(ServiceError) {
        switch named {
        case .clientAddress(let address): self = .site(address)
        case .application(let application): self = .application(application)
        case nil: return nil
        }
        guard (1...Self.bytesMax).contains(subject.utf8.count) else {
            throw ServiceError(.invalidArgument, fields: ["named_by"])
        }
    }

    /// The subject that its limits are charged to.
    var subject: String {
        switch self {
        case .site(let text), .application(let text): text
        }
    }

    /// The limit on new subjects from this origin.
    var newSubjects: LimitName {
        switch self {
        case .site: .newSubjectsBySite
        case .application: .newSubjectsByApplication
        }
    }
}
