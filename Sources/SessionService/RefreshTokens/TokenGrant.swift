import Contracts
import Cryptography
import ServiceRuntime
import Storage

/// The tokens that a caller gets: decided and durable before any is issued.
struct TokenGrant: Hashable, Sendable {
    let session: Session
    /// The counter of the refresh token; 0 where there is none, which confirms nothing.
    let counter: Int64
    /// The issue time of the access token.
    let givenAt: Timestamp
    /// What the access token has of the account's claims: `SQLSession.claims(of:)`. Also that of a
    /// repeat has the latest.
    let claims: KnownClaims?
    /// Whether the refresh token was exchanged right after it was issued (`RapidRefreshes`).
    var isRapid = false
    /// Whether it left a record of a newcomer (`NewcomerRecords`).
    var isNewcomersRecord = false

    /// The tokens of a session's leaf.
    init(session: Session, givenAt: Timestamp, claims: KnownClaims?) {
        self.session = session
        self.claims = claims
        counter = session.isBrief ? 0 : session.counter
        self.givenAt = givenAt
    }

    /// A new access token for the holder of one. It has that token's counter and not the leaf's:
    /// the leaf's response may be lost, and a use of this token must not confirm it (G-10).
    init(
        session: Session, reissuing shown: AccessToken, givenAt: Timestamp, claims: KnownClaims?
    ) {
        self.session = session
        self.claims = claims
        // Tokens issued before counters existed have none; 0 confirms nothing.
        counter = shown.counter ?? 0
        self.givenAt = givenAt
    }

    /// The same tokens as in `first` (G-25). No token is stored, so the access token is signed
    /// again, with another `jti` and, within the spread of `AccessTokens.Life`, another expiry. It
    /// keeps its issue time: a retry, by the caller or an eavesdropper, gives no more than the
    /// first response did.
    init(session: Session, repeating first: StoredGrant, claims: KnownClaims?) {
        self.session = session
        self.claims = claims
        counter = first.counter
        givenAt = first.givenAt
    }
}

/// The stored response of a call that issued tokens: the refresh token's counter and the time of
/// issue. No token is stored; a retry gets both tokens issued again from this.
struct StoredGrant: Hashable, Sendable {
    private static let count = 3

    /// The session's key.
    let session: Int64
    /// The counter of the refresh token.
    let counter: Int64
    /// When it was issued.
    let givenAt: Timestamp

    init(_ grant: TokenGrant) {
        session = grant.session.id.key
        counter = grant.counter
        givenAt = grant.givenAt
    }

    /// The stored form: each number in 8 bytes, big-endian.
    var bytes: [UInt8] { [session, counter, givenAt.milliseconds].bigEndianBytes }

    /// Parses what `bytes` returned.
    /// - Throws: `rpc/internal` for anything else, since only this program writes it.
    init(_ bytes: [UInt8]) throws(ServiceError) {
        guard let numbers = [Int64](bigEndianBytes: bytes), numbers.count == Self.count else {
            throw ServiceError(.internalError, detail: "a stored response of \(bytes.count) bytes")
        }
        session = numbers[0]
        counter = numbers[1]
        givenAt = Timestamp(milliseconds: numbers[2])
    }
}

extension Transaction {
    /// The stored response of `call`; nil where it is new or has no idempotency key.
    /// - Throws: `auth/idempotency-key-reused` where the key was used for another request.
    func storedResponse(of call: RepeatableCall?) throws -> StoredGrant? {
        try remembered(of: call).map(StoredGrant.init)
    }

    /// The same, but nil where the key was used for another request: an attacker's use of an old
    /// token must end the family whatever key is sent with it (G-10).
    func storedResponseIfAny(of call: RepeatableCall?) throws -> StoredGrant? {
        do {
            return try storedResponse(of: call)
        } catch let error as ServiceError where error.code == .idempotencyKeyReused {
            return nil
        }
    }

    /// Stores the response of `call`, if it has an idempotency key.
    func remember(_ call: RepeatableCall?, _ answer: StoredGrant) throws {
        try remember(call, answer.bytes)
    }
}
