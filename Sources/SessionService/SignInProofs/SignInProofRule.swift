import Contracts
import Logging
import Messages
import ServiceRuntime
import Storage

/// Whether an authentic proof opens a session at `now` (`SignInProofSeal` defines proofs). Pure:
///
///     proved                               opens
///     more than `clockLeeway` after now    no: identity's clock cannot be that far ahead
///     more than `life` before now          no: too old
///     from before an end (`AccountEnd`)    no: the sign-in began before a password reset
///     otherwise                            yes, once (`Transaction.useProof`)
///
/// What a proof is for is under its MAC, and a proof for one does not do for the other (F-03):
///
///     the proof is for      opens a session    is recorded in one
///     a sign-in             yes                no
///     a re-authentication   no                 yes
///     both: earlier build   yes                yes
///
/// Attack: somebody with a password, and a gateway under their control, has the password verified as
/// a re-authentication, which needs no second proof, and opens a session with that proof.
enum SignInProofRule {
    /// How long a proof is valid: a gateway forwards it at once.
    static let life: Duration = .seconds(30)
    /// How far identity's clock may be ahead of ours.
    static let clockLeeway: Duration = .seconds(60)

    /// - Parameter accountEnd: the account's latest ends; nil where none is known.
    static func accepts(
        _ proof: SignInProof, accountEnd: AccountEnd?, at now: Timestamp
    ) -> Bool {
        if proof.provedAt > now + clockLeeway { return false }
        if now > staleAfter(proof) { return false }
        guard let accountEnd else { return true }
        return !accountEnd.covers(provedAt: proof.provedAt, generation: proof.generation)
    }

    /// Whether a proof is one for `use`.
    static func isFor(_ use: SignInProof.Use, _ proof: SignInProof) -> Bool {
        proof.use == nil || proof.use == use
    }

    /// The last moment at which a proof is valid.
    static func staleAfter(_ proof: SignInProof) -> Timestamp { proof.provedAt + life }
}

/// A verified sign-in proof: identity confirms that an account's owner has signed in.
struct SignInProof: Hashable, Sendable {
    private static let nonceBytes = 16

    let account: AccountID
    /// Method names from RFC 8176; at least one, each valid for a row.
    let methods: [String]
    let authenticatedAt: Timestamp
    let provedAt: Timestamp
    /// 16 random bytes.
    let nonce: [UInt8]
    /// The account's session generation; 0 from an earlier build.
    let generation: Int64
    /// What it is for; nil from an earlier build, whose proofs are for both.
    let use: Use?
    /// The account's claims; nil for an account that never had any.
    let claims: SentClaims?

    /// What a proof is for.
    enum Use: Hashable, Sendable {
        case signIn, reauthentication
    }

    /// Parses a proof; nil unless identity has sealed it, and for contents that identity would not
    /// produce. A purpose of a later build does for nothing here.
    init?(_ message: IdentityV1.SignInProof?, seal: SignInProofSeal) {
        guard let message, seal.isGenuine(message),
            let account = AccountID(text: message.accountId),
            message.nonce.count == Self.nonceBytes, !message.amr.isEmpty,
            message.amr.allSatisfy(SessionProofs.isStorable),
            let use = Self.use(message.purpose), let claims = Self.claims(message)
        else { return nil }
        self.use = use.first
        self.claims = claims.first
        self.account = account
        methods = message.amr
        authenticatedAt = Timestamp(milliseconds: message.authTimeMs)
        provedAt = Timestamp(milliseconds: message.provedAtMs)
        nonce = message.nonce
        generation = message.sessionGeneration
    }

    /// The one use of a purpose, or none for both; nil for an unknown one.
    private static func use(_ purpose: IdentityV1.SignInProofPurpose) -> [Use]? {
        switch purpose {
        case .unspecified: []
        case .signIn: [.signIn]
        case .reauthentication: [.reauthentication]
        case .unrecognized: nil
        }
    }
}

extension SignInProof {
    /// The claims, or none for an account without a version of them; nil for what identity would not
    /// send. Attack: a gateway adds a role to a proof without a version, whose MAC has no part for
    /// it.
    fileprivate static func claims(_ message: IdentityV1.SignInProof) -> [SentClaims]? {
        guard message.claimsVersion != 0 else {
            return message.roles.isEmpty && message.claimsJson.isEmpty ? [] : nil
        }
        guard message.claimsVersion > 0,
            let claims = AccountClaims(sent: message.roles, json: message.claimsJson)
        else { return nil }
        return [SentClaims(claims: claims, version: message.claimsVersion)]
    }
}

/// Reads sign-in proofs, and reports those that identity has not sealed with our key: at the first
/// start of two services with a folder of keys each, all are refused, and each service is healthy.
final class SignInProofReader: Sendable {
    private let seal: SignInProofSeal
    private let logger: Logger
    /// A gateway that was taken over can send any number of proofs.
    private let throttle: LogThrottle

    init(seal: SignInProofSeal, time: any Time, logger: Logger) {
        self.seal = seal
        self.logger = logger
        throttle = LogThrottle(time: time)
    }

    /// The proof, if it is genuine; nil also for none.
    func proof(_ message: IdentityV1.SignInProof?) -> SignInProof? {
        if let proof = SignInProof(message, seal: seal) { return proof }
        if let message, !seal.isGenuine(message), throttle.allows() {
            logger.error(
                "session.sign_in_proof.not_genuine",
                """
                a sign-in proof was not sealed with this service's key, and the sign-in is refused: \
                identity and session must share keys/sign-in-proof.key; if they do, a caller forges \
                proofs
                """)
        }
        return nil
    }
}

extension Transaction {
    /// The latest ends of an account's sessions; nil when none is stored.
    func accountEnd(of account: AccountID) throws -> AccountEnd? {
        try queryOne(
            """
            SELECT before_ms, generation, before_by_clock_ms FROM account_end WHERE account = ?
            """,
            [.integer(account.key)]
        ) { row in
            AccountEnd(
                before: try row.timestamp(0), generation: try row.integer(1),
                beforeByClock: try row.timestamp(2))
        }
    }

    /// Consumes a proof.
    /// - Returns: whether this is its first use.
    func useProof(_ proof: SignInProof) throws -> Bool {
        let inserted = try execute(
            "INSERT INTO used_proof (nonce, stale_at_ms) VALUES (?, ?) ON CONFLICT DO NOTHING",
            [.blob(proof.nonce), SQLValue(SignInProofRule.staleAfter(proof))])
        return inserted == 1
    }

    /// From now on refuses proofs of `account` from before `end`. Of several ends, the latest time
    /// and the highest generation are kept, in whichever order they arrive.
    func recordAccountEnd(
        _ account: AccountID, _ end: AccountEnd, _ reason: EndReason
    ) throws {
        try put(
            """
            INSERT INTO account_end (account, before_ms, reason, generation, before_by_clock_ms)
            VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (account) DO UPDATE SET
                before_ms = CASE WHEN excluded.before_ms > account_end.before_ms
                    THEN excluded.before_ms ELSE account_end.before_ms END,
                reason = CASE WHEN excluded.before_ms > account_end.before_ms
                    THEN excluded.reason ELSE account_end.reason END,
                generation = CASE WHEN excluded.generation > account_end.generation
                    THEN excluded.generation ELSE account_end.generation END,
                before_by_clock_ms = CASE
                    WHEN excluded.before_by_clock_ms > account_end.before_by_clock_ms
                    THEN excluded.before_by_clock_ms ELSE account_end.before_by_clock_ms END
            """,
            [
                .integer(account.key), SQLValue(end.before), .integer(reason.rawValue),
                .integer(end.generation), SQLValue(end.beforeByClock),
            ])
    }
}
