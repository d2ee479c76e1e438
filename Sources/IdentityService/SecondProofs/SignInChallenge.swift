import Addresses
import Contracts
import Cryptography
import RPC
import ServiceRuntime

/// The token of a challenge: a keyed hash of its row's number, so that a repeat of the call gets the
/// same one, and the store has only a hash of the token (I-06).
struct ChallengeToken: Hashable, Sendable {
    let bytes: [UInt8]

    /// The token of a row.
    init(of challenge: Int64, _ keys: IdentityKeys) {
        bytes = keys.challenges.hash(Array("token\0".utf8) + [challenge].bigEndianBytes)
    }

    /// Parses the token of a request; nil if it is malformed.
    init?(text: String) {
        guard let bytes = Base64URL.decode(text.utf8), bytes.count == KeyedHash.byteCount else {
            return nil
        }
        self.bytes = bytes
    }

    /// What callers get.
    var text: String { Base64URL.encode(bytes) }

    /// The keyed hash by which the store finds the row.
    func hash(_ keys: IdentityKeys) -> [UInt8] {
        keys.challenges.hash(Array("stored token\0".utf8) + bytes)
    }
}

/// What a challenge keeps of the call that begins it: the device that may answer it, and the charge
/// that its completion gives back.
struct ChallengedCall: Hashable, Sendable {
    /// Keyed hash of app and device id; without an id, of app and network (IPv4 /24, IPv6 /48).
    ///
    /// Attack: a challenge leaks, from a log or by a shared link, to somebody who has the second
    /// proof's channel alone. Answered from another device it is as unknown.
    let device: [UInt8]
    /// The rate limiter's id of the charge of the first proof; empty for none.
    let chargeID: String

    /// The call in `context`, by a device with this id.
    init(_ context: CallContext, deviceID: String, _ keys: IdentityKeys) {
        let origin = RelayedOrigin(context)
        let network = ClientAddress(origin.clientAddress).map { Array($0.network(v6: 6, v4: 3)) }
        device = keys.challenges.lookUpKey(
            DelimitedParts.joined([
                Array("device".utf8), Array(origin.app.utf8), Array(deviceID.utf8),
                deviceID.isEmpty ? network ?? [] : [],
            ]))
        let charge = context.metadata[Metadata.Key.charge] ?? ""
        chargeID = UnsettledGuess.charge(charge) == nil ? "" : charge
    }
}

/// A challenge as callers get it.
struct IssuedChallenge: Hashable, Sendable {
    /// The row's number, from which the token is made.
    let challenge: Int64
    let token: ChallengeToken
    /// In the order to offer them.
    let kinds: [SecondProofKind]
    /// One for each of `kinds`.
    let hints: [String]
    /// The sign-in methods among them, for apps that know no challenges.
    let alternatives: [String]
    let expiresAt: Timestamp

    /// `auth/second-proof-required`, to be thrown after the commit.
    var error: ServiceError {
        var error = ServiceError(.secondProofRequired)
        error.alternatives = alternatives
        error.secondProof = ServiceError.SecondProof(
            challenge: token.text, kinds: kinds.map(\.rawValue),
            expiresAtMs: expiresAt.milliseconds, hints: hints)
        return error
    }
}

/// Whether a challenge may be answered now (F-03). Pure:
///
///     the challenge                            a proof
///     unknown, or begun on another device      auth/invalid-challenge
///     used                                     auth/invalid-challenge; the repeat of the call that
///                                              used it gets its answer
///     ten minutes old                          auth/invalid-challenge
///     five wrong proofs                        auth/invalid-challenge
///     of an earlier session generation         auth/invalid-challenge: a new password, a takeover,
///                                              a changed factor, a suspension came in between
///     otherwise                                is compared
///
/// The attacks:
/// - *Guesses start over with each challenge, or go on in one after a wait* (Keycloak #26180): they
///   are counted by challenge here, and by account and address in the limits, in the transaction that
///   discloses the outcome.
/// - *Checked at the start, not at the end* (Keycloak CVE-2026-16103): the completion reads all of
///   this again.
enum ChallengeRule {
    /// How long a challenge is valid.
    static let life: Duration = .seconds(600)
    /// Wrong proofs for each challenge.
    static let attemptsMax: Int64 = 5
    /// Challenges of one account that are valid at one time. One more ends the oldest of those that
    /// began on an unknown device, or else the oldest. Attack: a thief of the password begins one
    /// sign-in after another, so that the owner's challenge ends before it is answered.
    static let liveMax: Int64 = 5
    /// How long a code that was sent is valid.
    static let codeLife: Duration = .seconds(300)
    /// How long a used challenge is kept, for repeats of the call that used it.
    static let retention: Duration = .seconds(24 * 3_600)

    /// Whether a proof is compared.
    /// - Parameter generation: The account's session generation.
    static func isOpen(_ challenge: StoredChallenge, generation: Int64, at now: Timestamp) -> Bool {
        challenge.usedAt == nil && now < challenge.expiresAt
            && challenge.attempts < attemptsMax && challenge.generation == generation
    }

    /// What a proof by a code that was sent is answered with; nil if it is compared.
    ///
    ///     no code of this kind was sent    auth/invalid-verification-code
    ///     sent five minutes ago            auth/code-expired
    static func refusal(
        _ code: StoredChallenge.Code?, _ kind: SecondProofKind, at now: Timestamp
    ) -> ErrorCode? {
        guard let code, code.kind == kind else { return .invalidCode }
        return now < code.expiresAt ? nil : .codeExpired
    }
}

/// Masked texts by which an owner recognises where a code goes. Somebody who holds only the first
/// proof learns no more than these.
enum ChallengeHint {
    private static let dots = "•••"
    private static let digitsShown = 4

    /// `••• 0100`.
    static func text(of number: PhoneNumber) -> String {
        "\(dots) \(number.text.suffix(digitsShown))"
    }

    /// `a•••@e•••`.
    static func text(of address: EmailAddress) -> String {
        address.mailbox.split(separator: "@", omittingEmptySubsequences: false)
            .map { "\($0.prefix(1))\(dots)" }.joined(separator: "@")
    }
}
