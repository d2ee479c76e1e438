import Cryptography
package import Messages
package import ServiceRuntime
package import Storage

/// The stored form of `StoredResponse`: a mark, and then the encoded message.
extension IdentityV1.StoredResponse {
    /// No former form begins with it: they began with the account's key, which is not negative.
    private static let mark: UInt8 = 0xff

    /// Whether stored bytes are one, and not the record of a federated sign-in, which begins with a
    /// field's tag (`FederatedSignInRecord`).
    static func isOne(_ bytes: [UInt8]) -> Bool { bytes.first == mark }

    /// The stored form.
    var bytes: [UInt8] { [Self.mark] + encoded() }

    /// Reads `bytes`.
    /// - Throws: `rpc/internal` or a decoding error for anything else: only this service writes it.
    init(_ bytes: [UInt8]) throws {
        self =
            bytes.first == Self.mark
            ? try Self(decoding: Array(bytes.dropFirst())) : try Self(former: bytes)
    }

    /// Reads the form of builds before 28 November 2026: four numbers, of which the second meant
    /// something else in each call, or two, and an encoded collision. To be removed with the next
    /// release: a response is stored for 24 hours.
    private init(former bytes: [UInt8]) throws {
        guard bytes.count >= 32 || bytes.count == 16,
            let numbers = [Int64](bigEndianBytes: Array(bytes.prefix(32)))
        else {
            throw ServiceError(.internalError, detail: "a stored response has \(bytes.count) bytes")
        }
        let (account, figure) = (numbers[0], numbers[1])
        let (moment, flags) = numbers.count == 4 ? (numbers[2], numbers[3]) : (0, 0)
        self.init(
            account: account, done: figure == 1, forgetsDevices: figure == 1 || flags & 2 != 0,
            wasGuest: figure == 1, authenticatedAtMs: moment, lastSignInAtMs: figure,
            isNewDevice: flags & 1 != 0,
            collision: bytes.count > 32
                ? try GatewayV1.Collision(decoding: Array(bytes.dropFirst(32))) : nil,
            guesses: UInt32(clamping: flags >> 8), codeRequest: account, codeExpiresAtMs: figure,
            migration: figure)
    }

    /// The response of a call that a password repeats: it becomes void as
    /// `SQLSession.storedResponse(of:at:)` says.
    /// - Parameter row: The account after the call.
    init(
        repeatedByPasswordOf row: AccountRow, done: Bool = false, forgetsDevices: Bool = false,
        wasGuest: Bool = false
    ) {
        self.init(
            account: row.account.key, done: done, forgetsDevices: forgetsDevices,
            wasGuest: wasGuest, sessionGeneration: row.sessionGeneration)
    }

    /// The time of the sign-in or proof; nil if an earlier version stored none.
    var authenticatedAt: Timestamp? {
        authenticatedAtMs == 0 ? nil : Timestamp(milliseconds: authenticatedAtMs)
    }
}

extension Store {
    /// The stored response of `call`; nil if the call is new or has no idempotency key. A read, so
    /// that calls with a key do not wait for the one writer before their own transaction, which
    /// looks again.
    /// - Throws: as `SQLSession.storedResponse(of:at:)`; what the store throws.
    func storedResponse(
        of call: RepeatableCall?, at moment: Timestamp
    ) async throws -> IdentityV1.StoredResponse? {
        guard call != nil else { return nil }
        return try await read { try $0.storedResponse(of: call, at: moment) }
    }
}

extension SQLSession {
    /// The stored response of `call`; nil if the call is new or has no idempotency key.
    ///
    /// Attack: a stranger has signed up with somebody's address, or has had somebody's mailbox for
    /// an hour. Its owner takes the account back, and the stranger repeats a call with one password
    /// after another. A repeat is no sign-in: no limit of sign-ins counts it, and a right password
    /// leaves no record. So the response of a call with a password is void once another event has
    /// raised the account's session generation: a takeover, a new password, a removed method, a
    /// suspension.
    /// - Throws: `auth/idempotency-key-reused` if the key belongs to another request, or if the
    ///   response is void.
    package func storedResponse(
        of call: RepeatableCall?, at moment: Timestamp
    ) throws -> IdentityV1.StoredResponse? {
        guard let bytes = try remembered(of: call, at: moment) else { return nil }
        let response = try IdentityV1.StoredResponse(bytes)
        guard response.sessionGeneration != 0 else { return response }
        let account = try AccountID(stored: response.account)
        guard try sessionGeneration(of: account) == response.sessionGeneration else {
            throw ServiceError(.idempotencyKeyReused)
        }
        return response
    }
}

extension Transaction {
    /// As `storedResponse(of:at:)`, at the time of the transaction.
    /// - Throws: as that.
    package func storedResponse(of call: RepeatableCall?) throws -> IdentityV1.StoredResponse? {
        try storedResponse(of: call, at: at)
    }

    /// Stores the response of `call` if it has an idempotency key.
    /// - Throws: `SQLError`.
    package func remember(_ call: RepeatableCall?, _ answer: IdentityV1.StoredResponse) throws {
        try remember(call, answer.bytes)
    }
}

extension Transaction {
    /// Writes an audit event about an account, caused by a call from `origin`.
    /// - Parameters:
    ///   - account: Nil if the call names no account.
    ///   - detail: As the kind has it (`AuditDetail`).
    ///   - subject: Keyed hash of the address that the call names.
    ///   - outcome: The error of a refused call.
    /// - Throws: `SQLError`.
    package func audit(
        _ kind: AuditKind, _ account: AccountID?, detail: AuditDetail? = nil,
        from origin: CallOrigin, subject: [UInt8]? = nil, outcome: ErrorCode? = nil
    ) throws {
        try audit(
            AuditEvent(
                kind, account: account?.key, subject: subject, outcome: outcome, detail: detail
            ).from(origin))
    }
}
