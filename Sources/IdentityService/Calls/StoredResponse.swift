import ServiceRuntime
import Storage

/// What identity stores of a response, to return it again for the same idempotency key: the
/// account, and a few numbers. The rest is read from the store again. It holds no personal data.
struct StoredResponse: Hashable, Sendable {
    /// The account's key; 0 if the response is the same for every account.
    let account: Int64
    /// Sign-in and password reset: the time of the previous sign-in in milliseconds since 1970, 0
    /// if there was none. Confirmation: 1 if the password was replaced. Requested mail: 1 if it was
    /// sent. Registration: 1 if the caller was a guest.
    let figure: Int64
    /// Sign-in and proof: its time, in milliseconds since 1970 (`SignInHistory`).
    let moment: Int64
    /// Sign-in and password reset: 1 if the device was new (`SignInHistory`). A reset adds 2 if the
    /// address was unverified until then. From the ninth bit on: `guesses`.
    private(set) var mark: Int64
    /// Sign-in: the encoded `Collision` with a guest, which has only ids; empty without one.
    let collisionBytes: [UInt8]

    init(
        account: Int64, figure: Int64 = 0, moment: Int64 = 0, mark: Int64 = 0,
        collisionBytes: [UInt8] = []
    ) {
        self.account = account
        self.figure = figure
        self.moment = moment
        self.mark = mark
        self.collisionBytes = collisionBytes
    }

    /// The time of the sign-in or proof; nil if an earlier version stored none.
    var authenticatedAt: Timestamp? {
        moment == 0 ? nil : Timestamp(milliseconds: moment)
    }

    /// Passwords that repeats of the call have typed (`PasswordCheck.require`).
    var guesses: Int64 {
        get { mark >> 8 }
        set { mark = mark & 0xff | newValue << 8 }
    }

    /// The stored form: the four numbers, 8 bytes each, big-endian, and the collision.
    var bytes: [UInt8] {
        [account, figure, moment, mark].bigEndianBytes + collisionBytes
    }

    /// Reads `bytes`, also from an earlier version that stored only the first two numbers.
    /// - Throws: `rpc/internal` for any other length: only this service writes it.
    init(_ bytes: [UInt8]) throws(ServiceError) {
        guard bytes.count >= 32 || bytes.count == 16 else {
            throw ServiceError(.internalError, detail: "a stored response has \(bytes.count) bytes")
        }
        func number(_ part: ArraySlice<UInt8>) -> Int64 {
            part.reduce(0) { $0 << 8 | Int64($1) }
        }
        self.init(
            account: number(bytes[..<8]), figure: number(bytes[8..<16]),
            moment: number(bytes.dropFirst(16).prefix(8)),
            mark: number(bytes.dropFirst(24).prefix(8)), collisionBytes: Array(bytes.dropFirst(32)))
    }
}

extension Store {
    /// The stored response of `call`; nil if the call is new or has no idempotency key.
    /// - Throws: as `Transaction.storedResponse`; what the store throws.
    func storedResponse(of call: RepeatableCall?) async throws -> StoredResponse? {
        guard call != nil else { return nil }
        return try await write(about: []) { try $0.storedResponse(of: call) }
    }
}

extension Transaction {
    /// The stored response of `call`; nil if the call is new or has no idempotency key.
    /// - Throws: `auth/idempotency-key-reused` if the key belongs to another request.
    func storedResponse(of call: RepeatableCall?) throws -> StoredResponse? {
        try remembered(of: call).map(StoredResponse.init)
    }

    /// Stores the response of `call` if it has an idempotency key.
    func remember(_ call: RepeatableCall?, _ answer: StoredResponse) throws {
        try remember(call, answer.bytes)
    }
}

extension Transaction {
    /// Writes an audit event about an account, caused by a call from `origin`.
    /// - Parameters:
    ///   - account: Nil if the call names no account.
    ///   - subject: Keyed hash of the address that the call names.
    ///   - outcome: The error of a refused call.
    func audit(
        _ kind: AuditKind, _ account: AccountID?, from origin: CallOrigin,
        subject: [UInt8]? = nil, outcome: ErrorCode? = nil
    ) throws {
        try audit(
            AuditEvent(kind, account: account?.key, subject: subject, outcome: outcome)
                .from(origin))
    }
}
