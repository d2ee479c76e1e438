import CallRecords
import ServiceRuntime
import Storage

/// What identity keeps of an answer to give it again: which account it was about and one figure
/// of that occasion. All else is read anew, and holds nothing personal.
struct StoredResponse: Hashable, Sendable {
    /// The account's key; 0 where the answer is the same for all.
    let account: Int64
    /// A sign-in, and a reset: when the sign-in before was, milliseconds since 1970, 0 if never. A
    /// confirmation: 1 where the password was replaced. A mail that was asked for: 1 where it went.
    /// A registration: 1 where a guest asked.
    let figure: Int64
    /// A sign-in: when it was, milliseconds since 1970 (`SignInNews`).
    let moment: Int64
    /// A sign-in, and a reset: 1 where it was from a device that was not known (`SignInNews`). A
    /// reset: 2 more where it proved the address first.
    let mark: Int64

    init(account: Int64, figure: Int64 = 0, moment: Int64 = 0, mark: Int64 = 0) {
        self.account = account
        self.figure = figure
        self.moment = moment
        self.mark = mark
    }

    /// As the store keeps it: the numbers, 8 bytes each, big-endian.
    var bytes: [UInt8] {
        [account, figure, moment, mark].flatMap { number in
            (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - $0 * 8)) }
        }
    }

    /// Reads what `bytes` wrote, here or in a version whose answers were of the first two numbers.
    /// - Throws: `rpc/internal` for anything else: only this program writes it.
    init(_ bytes: [UInt8]) throws(ServiceError) {
        guard bytes.count == 32 || bytes.count == 16 else {
            throw ServiceError(.internalError, detail: "a kept answer of \(bytes.count) bytes")
        }
        func number(_ part: ArraySlice<UInt8>) -> Int64 {
            part.reduce(0) { $0 << 8 | Int64($1) }
        }
        self.init(
            account: number(bytes[..<8]), figure: number(bytes[8..<16]),
            moment: number(bytes.dropFirst(16).prefix(8)), mark: number(bytes.dropFirst(24)))
    }
}

extension Transaction {
    /// The first answer of `call`; nil where it is new, or carries no key.
    /// - Throws: `auth/idempotency-key-reused` where the key was another request's.
    func storedResponse(of call: RepeatableCall?) throws -> StoredResponse? {
        try remembered(of: call).map(StoredResponse.init)
    }

    /// Keeps the answer of `call`, if it carries a key.
    func remember(_ call: RepeatableCall?, _ answer: StoredResponse) throws {
        try remember(call, answer.bytes)
    }
}
