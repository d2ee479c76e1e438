import CallRecords
import ServiceRuntime
import Storage

/// What session keeps of an answer to give it again: which refresh token it held, and when it was
/// given. No token is kept; both are made anew from this.
struct StoredResponse: Hashable, Sendable {
    private static let numbers = 3

    /// The session's key.
    let session: Int64
    /// The counter of the refresh token.
    let counter: Int64
    /// When it was given.
    let givenAt: Timestamp

    init(_ grant: TokenGrant) {
        session = grant.session.id.key
        counter = grant.counter
        givenAt = grant.givenAt
    }

    /// As the store keeps it: the numbers in 8 bytes each, big-endian.
    var bytes: [UInt8] {
        [session, counter, givenAt.milliseconds].flatMap { number in
            (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - $0 * 8)) }
        }
    }

    /// Reads what `bytes` wrote.
    /// - Throws: `rpc/internal` for anything else: only this program writes it.
    init(_ bytes: [UInt8]) throws(ServiceError) {
        guard bytes.count == 8 * Self.numbers else {
            throw ServiceError(.internalError, detail: "a kept answer of \(bytes.count) bytes")
        }
        func number(_ place: Int) -> Int64 {
            bytes[(8 * place)..<(8 * place + 8)].reduce(0) { $0 << 8 | Int64($1) }
        }
        session = number(0)
        counter = number(1)
        givenAt = Timestamp(milliseconds: number(2))
    }
}

extension Transaction {
    /// The first answer of `call`; nil where it is new, or carries no key.
    /// - Throws: `auth/idempotency-key-reused` where the key was another request's.
    func storedResponse(of call: RepeatableCall?) throws -> StoredResponse? {
        try remembered(of: call).map(StoredResponse.init)
    }

    /// The same, where another request's key is just no answer: a thief's use of an old token must
    /// end the family whatever key he sends with it (G-10).
    func storedResponseIfAny(of call: RepeatableCall?) throws -> StoredResponse? {
        do {
            return try storedResponse(of: call)
        } catch let error as ServiceError where error.code == .idempotencyKeyReused {
            return nil
        }
    }

    /// Keeps the answer of `call`, if it carries a key.
    func remember(_ call: RepeatableCall?, _ answer: StoredResponse) throws {
        try remember(call, answer.bytes)
    }
}
