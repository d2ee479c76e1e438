import Contracts
import Messages
import ServiceRuntime

/// A charge from a request, validated.
struct RequestedCharge: Sendable {
    /// The largest number in one call. It is smaller than the table's, because `plan` adds to a
    /// batch.
    static let countMax = LimitTable.batchMax - 5
    private static let subjectBytesMax = 512
    /// The gateway rejects longer ones.
    private static let deviceBytesMax = 128
    /// An id of a request for a code.
    private static let targetBytesMax = 64

    let limit: LimitName
    let subject: String
    /// Empty if none.
    let device: String
    /// The id of the code that the attempt guesses: the request for that code. It selects the
    /// bucket of `phone-code-first-guess` while `phone-code-guess` is locked until a reset. Empty
    /// if none.
    let target: String

    /// - Parameter mayBePart: whether the limit may be one that is only part of others.
    /// - Throws: `rpc/invalid-argument` for an unknown or internal limit, and for a text of invalid
    ///   length.
    init(_ charge: RateLimitV1.Charge, mayBePart: Bool = false) throws(ServiceError) {
        guard let limit = LimitName.called(charge.limit),
            !limit.isInternal || mayBePart && limit.isOperators
        else {
            throw ServiceError(.invalidArgument, fields: ["charges.limit"])
        }
        guard Self.mayBeSubject(charge.subject.utf8.count) else {
            throw ServiceError(.invalidArgument, fields: ["charges.subject"])
        }
        guard charge.device.utf8.count <= Self.deviceBytesMax else {
            throw ServiceError(.invalidArgument, fields: ["charges.device"])
        }
        guard charge.target.utf8.count <= Self.targetBytesMax else {
            throw ServiceError(.invalidArgument, fields: ["charges.target"])
        }
        self.limit = limit
        subject = charge.subject
        device = charge.device
        target = charge.target
    }

    /// Whether a subject may have this number of bytes.
    static func mayBeSubject(_ byteCount: Int) -> Bool {
        (1...subjectBytesMax).contains(byteCount)
    }

    /// Validates the charges of a call.
    /// - Parameter mayBeParts: as for `init`; for the operator, who looks at each limit.
    /// - Throws: `rpc/invalid-argument` as `init`, and for no charges or too many.
    static func read(
        _ charges: [RateLimitV1.Charge], mayBeParts: Bool = false
    ) throws(ServiceError) -> [RequestedCharge] {
        guard (1...countMax).contains(charges.count) else {
            throw ServiceError(.invalidArgument, fields: ["charges"])
        }
        var read: [RequestedCharge] = []
        for charge in charges { read.append(try RequestedCharge(charge, mayBePart: mayBeParts)) }
        return read
    }
}

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
