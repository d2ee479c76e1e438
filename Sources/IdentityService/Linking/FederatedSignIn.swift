import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

/// Signs in with an identity that a provider's token or a phone code has proved (G-04 … G-07,
/// G-15). All these sign-ins use this path. `LinkingRule` decides on the account,
/// `FederatedSignInTransaction` writes.
///
/// One transaction covers the stored response of an earlier identical call, the nonce, the decision
/// and the writes. Of two parallel first sign-ins, the second therefore sees what the first has
/// written.
struct FederatedSignIn: AccountWriting, Sendable {
    let settings: IdentitySettings
    let store: Store
    let writer: AccountWriter
    let answers: AccountAnswers
    /// Where providers' codes are exchanged after the sign-in (G-04, G-05).
    let grantEndpoints: GrantEndpoints

    /// Attempts for each call. On a storage engine with several writers, another sign-in can write
    /// between the lookup and the write. A unique index then rejects the write, and the decision is
    /// repeated on the new state.
    private static let triesMax = 5

    /// Signs in. A call in a session that cannot be used gets its stored response if it is a repeat
    /// (G-25): an upgrade ends the guest's session.
    /// - Throws: `auth/user-disabled`, `auth/email-not-verified`, `auth/email-already-in-use`,
    ///   `auth/consent-required`, `auth/underage-user`,
    ///   `auth/missing-or-invalid-nonce`, `auth/idempotency-key-reused`;
    ///   `auth/invalid-verification-code` for a sign-up where only accounts that exist are meant;
    ///   `auth/invalid-access-token` when the caller's account no longer exists;
    ///   `auth/session-ended` when the calling session has ended; as `SessionOwners.owner`;
    ///   `rpc/unavailable` when all attempts conflict with other writers.
    func run(
        _ proved: ProvedIdentity, _ call: FederatedSignInCall
    ) async throws -> IdentityV1.AdmissionResponse {
        if let caller = call.caller, case .failure(let refused) = caller.owner {
            guard let again = try await answerAgain(proved, call) else { throw refused }
            return again
        }
        for _ in 0..<Self.triesMax {
            switch try await write(proved, call) {
            case .signedIn(let committed):
                if committed.guest != nil { writer.guests.wake() }
                return try await answer(committed)
            case .challenged(let issued): throw issued.error
            case .refused(let code): throw ServiceError(code)
            case .undecided: continue
            }
        }
        throw ServiceError(.unavailable, detail: "the account changed during every attempt")
    }

    private func answerAgain(
        _ proved: ProvedIdentity, _ call: FederatedSignInCall
    ) async throws -> IdentityV1.AdmissionResponse? {
        guard call.repeatable != nil else { return nil }
        let again = try await store.write(about: []) { transaction in
            try FederatedSignInTransaction(self, proved, call, transaction).replay()
        }
        switch again {
        case .signedIn(let committed)?: return try await answer(committed)
        case .challenged(let issued)?: throw issued.error
        case .refused, .undecided, nil: return nil
        }
    }

    private func write(
        _ proved: ProvedIdentity, _ call: FederatedSignInCall
    ) async throws -> FederatedSignInOutcome {
        do {
            return try await store.write(about: call.caller.subjects) { transaction in
                var writing = FederatedSignInTransaction(self, proved, call, transaction)
                return try writing.run()
            }
        } catch let error as SQLError where error.kind == .constraint(.unique) {
            return .undecided
        }
    }

    /// The answer of a sign-in that was committed.
    func answer(
        _ committed: CommittedSignIn
    ) async throws -> IdentityV1.AdmissionResponse {
        let current = try await answers.answer(
            committed.row, lastSignInAt: committed.record.lastSignInAt)
        var answer = committed.record.message
        answer.account = current.account
        answer.requiredActions = current.requiredActions
        answer.proof = try proofs.signIn(
            committed.admitted, authenticatedAt: committed.record.authenticatedAt,
            provedAt: committed.provedAt)
        answer.history = try answer.history?.opened(of: committed.row, reader)
        answer.collision = try await committed.guest?.answer(answers)
        return answer
    }
}

/// The outcome of one transaction.
enum FederatedSignInOutcome: Sendable {
    case signedIn(CommittedSignIn)
    /// A second proof is asked for (F-03). The nonce is used up.
    case challenged(IssuedChallenge)
    /// The rejection is recorded in the audit log, and the nonce is used up.
    case refused(ErrorCode)
    /// Another writer committed in between: repeat the decision.
    case undecided
}

/// A committed sign-in.
struct CommittedSignIn: Sendable {
    /// With the account after it.
    let admitted: AdmittedSignIn
    let record: FederatedSignInRecord
    /// Later than the end of the account's sessions, if this sign-in ended them.
    let provedAt: Timestamp
    /// The guest whose session made the call, if it is another account than the one signed in to.
    let guest: SettledGuest?

    var row: AccountRow { admitted.row }
}

/// The validated request data of a sign-in by a proved identity, without the proof.
struct FederatedSignInCall: Sendable {
    let origin: CallOrigin
    /// The device, for notices to the account's owner.
    let device: SignInDevice
    /// The language of mails to a new account.
    let language: String
    /// The session that made the call. A guest is upgraded; the session of a full account is
    /// ignored. Nil without a session.
    let caller: CallingSession?
    /// What the person has agreed to; counts for an account that is created or upgraded.
    let acceptance: Acceptance
    /// For the challenge that the sign-in may begin.
    let challenged: ChallengedCall
    /// Keyed hash of the phone number, of a code to it; nil for a provider's token.
    let numberKey: [UInt8]?
    /// Whether no account may come to be (G-32).
    let isExistingOnly: Bool
    /// For idempotent retries; nil when the call carries no key. The fingerprint covers the
    /// identity (`IdentityKeys.lookUpKey(of:)`), because a stored response is returned only to a
    /// caller that proves the same identity again, and the account of the calling session.
    let repeatable: RepeatableCall?

    /// A sign-in in the name of `caller`, if there is one.
    /// - Parameter language: BCP 47.
    init(
        from origin: CallOrigin, on device: GatewayV1.Device?, language: String,
        acceptance: Acceptance, in caller: CallingSession? = nil, challenged: ChallengedCall,
        numberKey: [UInt8]? = nil, isExistingOnly: Bool = false, repeatable: RepeatableCall?
    ) {
        self.origin = origin
        self.device = SignInDevice(device, from: origin)
        self.language = language
        self.acceptance = acceptance
        self.caller = caller
        self.challenged = challenged
        self.numberKey = numberKey
        self.isExistingOnly = isExistingOnly
        self.repeatable = repeatable
    }
}

/// The stored response of a sign-in, for idempotent retries (G-25): the account and the outcome. It
/// holds no personal data but the place of the previous sign-in, which is sealed under the account's
/// key; a retry reads everything else from the current rows.
struct FederatedSignInRecord: Sendable {
    let account: AccountID
    /// Time of the previous sign-in.
    let lastSignInAt: Timestamp?
    /// The response. Its accounts contain only their ids, its proof only the time of the
    /// authentication.
    private(set) var message: IdentityV1.AdmissionResponse

    /// A sign-in to `account`.
    init(_ account: AccountID, lastSignInAt: Timestamp?) {
        self.account = account
        self.lastSignInAt = lastSignInAt
        message = IdentityV1.AdmissionResponse(
            account: GatewayV1.Account(
                accountId: account.text,
                lastSignIn: lastSignInAt.map { .lastSignInAtMs($0.milliseconds) }))
    }

    /// Records the outcome in the response.
    mutating func add(_ decision: LinkingRule.Decision, removed: [SignInMethod]) {
        switch decision {
        case .signIn, .refuse: break
        case .link: message.isLinked = true
        case .takeOver:
            message.isLinked = true
            message.removedMethods = removed.map(\.name)
        case .upgrade:
            message.isNewUser = true
            message.isUpgraded = true
        case .create: message.isNewUser = true
        }
    }

    /// Records that the guest is another account than the one signed in to.
    mutating func add(_ guest: SettledGuest) { message.collision = guest.collision }

    /// Adds what the sign-in reports about the previous one; a new account has none.
    mutating func add(_ history: SignInHistory) {
        if history.before != nil { message.history = history.message }
    }

    /// Records the time of the sign-in, which the proofs of repeats have too.
    mutating func add(authenticatedAt moment: Timestamp) {
        message.proof = IdentityV1.SignInProof(authTimeMs: moment.milliseconds)
    }

    /// The time of the sign-in; nil if an earlier version stored none.
    var authenticatedAt: Timestamp? {
        message.proof.map { Timestamp(milliseconds: $0.authTimeMs) }
    }

    /// The encoded record, as the store keeps it.
    var bytes: [UInt8] { message.encoded() }

    /// Decodes what `bytes` produced.
    /// - Throws: `rpc/internal` when the account id is missing, a decoding error for other bytes.
    ///   Only this program writes records.
    init(_ bytes: [UInt8]) throws {
        message = try IdentityV1.AdmissionResponse(decoding: bytes)
        guard let stored = message.account, let account = AccountID(text: stored.accountId) else {
            throw ServiceError(.internalError, detail: "a stored sign-in has no account id")
        }
        self.account = account
        lastSignInAt =
            if case .lastSignInAtMs(let moment) = stored.lastSignIn {
                Timestamp(milliseconds: moment)
            } else {
                nil
            }
    }
}
