import Messages
import ServiceRuntime

/// Who names the subjects of a batch, as far as the network tells: the site of the client's address,
/// or an application that asserts no addresses, whose users cannot be told apart.
///
/// A text that strangers name costs them nothing, and what is counted on it takes room for hours. So
/// a batch with a subject of `LimitRoom.text` that nothing is counted on yet is charged to its namer:
///
///     the subject                          charged to the namer
///     is counted on already                no
///     is new, and its charge stands        yes: one of 1,000 in an hour
///     is new, and is taken back            no more
///     is of a device that is known         no: strangers cannot name it
///
/// At its limit the namer is refused, and nobody else.
enum SubjectNamer: Hashable, Sendable {
    /// An address of the site.
    case site(String)
    case application(String)

    private static let bytesMax = 512

    /// - Returns: nil where the caller does not say.
    /// - Throws: `rpc/invalid-argument`.
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

    /// As limits are charged for it.
    var subject: String {
        switch self {
        case .site(let text), .application(let text): text
        }
    }

    /// The limit on what it names.
    var newSubjects: LimitName {
        switch self {
        case .site: .newSubjectsBySite
        case .application: .newSubjectsByApplication
        }
    }
}
