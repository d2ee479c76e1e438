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

    /// - Throws: `rpc/invalid-argument` for an unknown or internal limit, and for a text of invalid
    ///   length.
    init(_ charge: RateLimitV1.Charge) throws(ServiceError) {
        guard let limit = LimitName.called(charge.limit), !limit.isInternal else {
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
    /// - Throws: `rpc/invalid-argument` as `init`, and for no charges or too many.
    static func read(_ charges: [RateLimitV1.Charge]) throws(ServiceError) -> [RequestedCharge] {
        guard (1...countMax).contains(charges.count) else {
            throw ServiceError(.invalidArgument, fields: ["charges"])
        }
        var read: [RequestedCharge] = []
        for charge in charges { read.append(try RequestedCharge(charge)) }
        return read
    }
}
