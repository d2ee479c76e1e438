import Addresses
import Contracts
import Messages
import ServiceRuntime
import Storage

/// A sign-in that may open a session. `ProofIssuer` makes a sign-in proof of nothing else, and nothing
/// but this file makes such a value. A new way to sign in does not compile without the gate.
///
/// Attack: the second factor is asked for after passwords, and forgotten for another way to sign in
/// (Better Auth #9552, #10322; of resets Keycloak CVE-2026-18963, Flask-Security #258).
struct AdmittedSignIn: Sendable {
    /// The account, read in the transaction that admitted it: its session generation is the proof's.
    let row: AccountRow
    /// What the sign-in has proved, by one proof or two (RFC 8176).
    let amr: [String]

    fileprivate init(_ row: AccountRow, _ amr: [String]) {
        self.row = row
        self.amr = amr
    }

    /// The same sign-in, with the account as the transaction reads it after its writes.
    /// - Precondition: it is the same account.
    func afterwards(_ row: AccountRow) -> AdmittedSignIn {
        precondition(row.account == self.row.account)
        return AdmittedSignIn(row, amr)
    }
}

/// The one gate of sign-ins (F-03, A-06): decides, in the transaction that accepts the first proof,
/// whether it opens a session or begins a challenge.
///
///     sign-in                                               gate
///     by password, by a code to a phone                     judged
///     by a provider: known, or linked by its address        judged. Otherwise a provider's account
///     (`LinkingRule`: sign in, link)                        with the owner's address would sign in
///                                                           past the factor
///     by a reset link                                       judged
///     by a passkey                                          judged, as both proofs
///     sign-up, guest, upgrade of a guest, takeover          not judged: no factor is left behind
///     a repeat with the same idempotency key                judged again: what asks now is refused,
///                                                           so no answer of before a factor opens
///                                                           a session after it
struct SignInAdmission: AccountWriting, Sendable {
    let settings: IdentitySettings
    let writer: AccountWriter

    /// What the gate answers.
    enum Outcome: Sendable {
        case admitted(AdmittedSignIn)
        /// The sign-in waits for a second proof. `IssuedChallenge.error` is thrown after the commit.
        case challenged(IssuedChallenge)
    }

    /// Judges a first proof. A challenge is written here, with its audit event, and nothing else of
    /// the sign-in may be written then but what the first proof uses up and the stored response.
    /// - Parameters:
    ///   - device: of the call.
    ///   - waiting: Fills in what the sign-in does once its second proof is there.
    /// - Throws: `SQLError`; if the account's rows do not open.
    func admit(
        _ row: AccountRow, _ first: FirstProof, _ call: ChallengedCall, on device: SignInDevice,
        from origin: CallOrigin, subject: [UInt8]? = nil, guest: CallingSession?,
        _ transaction: Transaction, waiting: (inout IdentityV1.WaitingSignIn) -> Void
    ) throws -> Outcome {
        guard let demanded = try demanded(of: row, first, in: transaction, at: transaction.at)
        else { return .admitted(AdmittedSignIn(row, first.authentication.amr)) }
        var details = IdentityV1.WaitingSignIn(first, call, guest: guest?.account)
        waiting(&details)
        let number = randomness.rowKey()
        let isKnown = try device.key(in: row.account, keys).map {
            try transaction.isKnown($0, of: row.account)
        }
        let challenge = StoredChallenge(
            challenge: number, account: row.account, generation: row.sessionGeneration,
            reasons: demanded.reasons, kinds: demanded.kinds, device: call.device,
            isOnKnownDevice: isKnown ?? false,
            sealedDetails: try reader.vault(row).seal(
                details.encoded(), .challengeDetails(number)),
            expiresAt: transaction.at + ChallengeRule.life)
        let token = ChallengeToken(of: number, keys)
        try transaction.insert(challenge, tokenHash: token.hash(keys))
        try transaction.audit(
            .signInChallenged, row.account, detail: .method(first.method.name), from: origin,
            subject: subject)
        return .challenged(
            try issued(
                number, demanded.kinds, until: challenge.expiresAt, to: row, after: first,
                in: transaction))
    }

    /// Judges the repeat of a call whose first was admitted.
    /// - Throws: `auth/idempotency-key-reused` if a second proof is asked for now: begin again.
    func admitAgain(
        _ row: AccountRow, _ first: FirstProof, in session: some SQLSession, at moment: Timestamp
    ) throws -> AdmittedSignIn {
        guard try demanded(of: row, first, in: session, at: moment) == nil else {
            throw ServiceError(.idempotencyKeyReused)
        }
        return AdmittedSignIn(row, first.authentication.amr)
    }

    /// The challenge of a call that is repeated, with the same token.
    func challengeAgain(
        _ stored: IdentityV1.StoredResponse, of row: AccountRow, after first: FirstProof,
        in session: some SQLSession
    ) throws -> IssuedChallenge {
        try issued(
            stored.challenge, stored.challengeKinds.compactMap { SecondProofKind(rawValue: $0) },
            until: Timestamp(milliseconds: stored.challengeExpiresAtMs), to: row, after: first,
            in: session)
    }

    private func issued(
        _ number: Int64, _ kinds: [SecondProofKind], until expiresAt: Timestamp, to row: AccountRow,
        after first: FirstProof, in session: some SQLSession
    ) throws -> IssuedChallenge {
        let providers =
            kinds.contains(.provider)
            ? try reader.secondProofs(of: row, settings, in: session, at: expiresAt)
                .providers(independentOf: first) : []
        return IssuedChallenge(
            challenge: number, token: ChallengeToken(of: number, keys), kinds: kinds,
            hints: try kinds.map { try hint($0, row, providers) },
            alternatives: (kinds.contains(.password) ? [SignInMethod.password.name] : [])
                + providers, expiresAt: expiresAt)
    }

    private func hint(
        _ kind: SecondProofKind, _ row: AccountRow, _ providers: [String]
    ) throws -> String {
        switch kind {
        case .phone: try reader.phoneNumber(row).map(ChallengeHint.text(of:)) ?? ""
        case .email: try reader.address(row).map(ChallengeHint.text(of:)) ?? ""
        case .provider: providers.joined(separator: " ")
        case .passkey, .password, .totp, .recoveryCode: ""
        }
    }

    private func demanded(
        of row: AccountRow, _ first: FirstProof, in session: some SQLSession, at moment: Timestamp
    ) throws -> DemandedProof? {
        let gate = writer.gate
        let facts = SignInFacts(
            first: first,
            hasSecondFactor: try gate.factors?.hasSecondFactor(row.account, in: session) ?? false,
            isFactorRequired: settings.secondFactors.mode == .required,
            numberChange: try first.numberKey.flatMap { try session.numberChange($0) },
            changeGuard: settings.phone.changeGuard, at: moment)
        return try DemandedProof(gate.demands, facts) {
            SecondProofKind.available(
                try reader.secondProofs(of: row, settings, in: session, at: moment), after: first)
        }
    }
}

extension SignInAdmission {
    /// Sign-ins that the gate does not judge.
    enum Unjudged: Sendable {
        /// The account comes to be with this call; of an upgrade, its first way to sign in.
        case signUp
        /// A guest has no way to sign in.
        case guest
        /// The owner of the address takes the account, and all of its factors are removed
        /// (`Takeover`).
        case takeover
    }

    /// Admits a sign-in that is not judged.
    /// - Parameter authentication: By what, as sessions and tokens show it.
    static func unjudged(
        _ row: AccountRow, _ why: Unjudged, by authentication: Authentication
    ) -> AdmittedSignIn {
        AdmittedSignIn(row, authentication.amr)
    }
}

extension SignInAdmission {
    /// Admits a sign-in whose second proof was right, and uses its challenge up.
    /// - Parameters:
    ///   - first: What the first proof has proved.
    ///   - second: What the second one has.
    /// - Returns: nil if another call has used the challenge.
    /// - Throws: `SQLError`.
    static func complete(
        _ challenge: StoredChallenge, of row: AccountRow, first: [String],
        second: [String], _ transaction: Transaction
    ) throws -> AdmittedSignIn? {
        precondition(challenge.account == row.account)
        guard try transaction.use(challenge) else { return nil }
        return AdmittedSignIn(row, first + second.filter { !first.contains($0) })
    }

    /// Admits the repeat of a completion.
    /// - Parameter first: The stored response of the completion.
    /// - Throws: `auth/idempotency-key-reused` if an end of all sessions came in between.
    static func completedAgain(
        _ row: AccountRow, _ first: IdentityV1.SignInProof
    ) throws(ServiceError) -> AdmittedSignIn {
        guard first.sessionGeneration == row.sessionGeneration, !first.amr.isEmpty else {
            throw ServiceError(.idempotencyKeyReused)
        }
        return AdmittedSignIn(row, first.amr)
    }
}

extension AccountReader {
    /// What an account has for a second proof.
    /// - Throws: `SQLError`; if the account's rows do not open.
    func secondProofs(
        of row: AccountRow, _ settings: IdentitySettings, in session: some SQLSession,
        at moment: Timestamp
    ) throws -> SecondProofAccount {
        var account = SecondProofAccount(
            hasPassword: settings.opening(row.methods).contains(.password),
            hasProvedAddress: row.address?.provedAt != nil)
        if let number = try phoneNumber(row), settings.phone.sends(to: number, at: moment) {
            account.hasNumber = true
            account.isNumberGuarded = NumberChangeRule.isGuarded(
                try session.numberChange(keys.lookUpKey(of: number)),
                for: settings.phone.changeGuard, at: moment)
        }
        account.hasTOTP = try session.secondFactors(of: row.account).contains(where: \.isTOTP)
        account.hasPasskey = try session.hasPasskey(row.account, of: settings.passkeys.id)
        account.hasRecoveryCodes = try session.recoveryCodes(of: row.account) > 0
        let vault = try vault(row)
        for identity in try session.identities(of: row.account) {
            guard case .provider(let name) = identity.method else { continue }
            let details = try IdentityDetails(
                text: try vault.open(identity.sealedDetails, .identityDetails(identity.identity)))
            let isOwnAddress = EmailAddress(details.email).map { keys.lookUpKey(of: $0) }
            account.providers[name] =
                isOwnAddress != nil && isOwnAddress == row.address?.lookUpKey
                ? [.provider(name), .mailbox] : [.provider(name)]
        }
        return account
    }
}

extension PhoneSettings {
    /// Whether a code can be sent to a number.
    fileprivate func sends(to number: PhoneNumber, at moment: Timestamp) -> Bool {
        if let test = test(number) { return moment < test.endsAt }
        return countries.refusal(of: number) == nil
    }
}
