import Addresses
import Contracts
import Messages
import Metrics
import RPC
import ServiceRuntime
import Storage

/// `postern.identity.v1.SecondProofs`: challenges of sign-ins, and the second proofs that answer them
/// (F-03, A-06). What begins a challenge is `SignInAdmission`.
struct SecondProofsHandler: SecondProofsService, AccountWriting {
    let store: Store
    let writer: AccountWriter
    let time: any Time
    let owners: SessionOwners
    let passwords: PasswordCheck
    let tokens: any ProviderTokens
    let passkeys: PasskeyCheck
    let signIn: FederatedSignIn
    let outcomes = SecondProofOutcomes()

    var settings: IdentitySettings { signIn.settings }
}

/// Counts second proofs by their kind and outcome.
struct SecondProofOutcomes: Sendable {
    /// What a proof came to, in the metric.
    enum Outcome: String, CaseIterable, Sendable {
        case right, wrong
        /// It was not compared.
        case refused
    }

    private let counters: [SecondProofKind: [Outcome: Counter]]

    init() {
        counters = Dictionary(
            uniqueKeysWithValues: SecondProofKind.allCases.map { ($0, Self.counters($0)) })
    }

    /// Counts a proof.
    func count(_ kind: SecondProofKind, _ outcome: Outcome) {
        counters[kind]?[outcome]?.increment()
    }

    private static func counters(_ kind: SecondProofKind) -> [Outcome: Counter] {
        Dictionary(
            uniqueKeysWithValues: Outcome.allCases.map { outcome in
                let labels = [("kind", kind.rawValue), ("outcome", outcome.rawValue)]
                return (outcome, Counter(label: "second_proofs", dimensions: labels))
            })
    }
}

extension SecondProofsHandler {
    /// A challenge that was found, with its account and what waits in it.
    struct Found: Sendable {
        let challenge: StoredChallenge
        let row: AccountRow
        let details: IdentityV1.WaitingSignIn
    }

    /// Which challenges a call takes beside those that can be answered now.
    enum Ended: Sendable {
        case none
        /// Those that were completed, for the repeat of the completion.
        case used
        /// All, for the repeat of a call that had a code sent.
        case all

        func includes(_ challenge: StoredChallenge) -> Bool {
            switch self {
            case .none: false
            case .used: challenge.usedAt != nil
            case .all: true
            }
        }
    }

    /// The challenge of a token, if it can be answered now, or has ended in this way.
    /// - Throws: `auth/invalid-challenge`.
    func found(
        _ token: ChallengeToken?, on device: [UInt8], or ended: Ended = .none,
        in session: some SQLSession, at moment: Timestamp
    ) throws -> Found {
        guard let token,
            let challenge = try session.challenge(tokenHash: token.hash(keys), on: device),
            let row = try session.account(challenge.account),
            ended.includes(challenge)
                || ChallengeRule.isOpen(
                    challenge, generation: row.sessionGeneration, at: moment)
        else { throw ServiceError(.invalidChallenge) }
        let details = try IdentityV1.WaitingSignIn(
            decoding: reader.vault(row).openBytes(
                challenge.sealedDetails, .challengeDetails(challenge.challenge)))
        return Found(challenge: challenge, row: row, details: details)
    }

    /// Says what a proof of a challenge is charged to. The gateway passes none of it on: a caller with
    /// the first proof alone learns neither address nor number.
    func getChallenge(
        _ request: IdentityV1.GetChallengeRequest, _ context: CallContext
    ) async throws -> IdentityV1.GetChallengeResponse {
        try context.requireGateway()
        let call = ChallengedCall(context, deviceID: request.deviceId, keys)
        let token = ChallengeToken(text: request.challenge)
        let now = time.now()
        let found = try await store.read {
            try self.found(
                token, on: call.device, or: request.orEnded ? .all : .used, in: $0, at: now)
        }
        return IdentityV1.GetChallengeResponse(
            accountId: found.row.account.text,
            email: try reader.address(found.row)?.entered ?? "",
            phoneNumber: try reader.phoneNumber(found.row)?.text ?? "",
            method: found.details.method, isReset: found.details.isReset,
            chargeId: found.details.chargeId)
    }
}
