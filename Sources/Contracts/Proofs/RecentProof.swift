package import Messages
package import ServiceRuntime

/// The requirement of a sensitive call: the account's owner must have authenticated recently, by an
/// accepted method, and strongly enough (G-13, F-04). Pure:
///
///     the session's proofs of an accepted kind and assurance   the call
///     one is younger than the limit                            continues
///     each is as old as the limit, or older                    auth/requires-recent-login
///     none                                                     auth/requires-recent-login
///     a guest's only                                           auth/requires-recent-login
///
///     assurance    accepts
///     `.atLeast`   a proof that has it, whatever the account could give
///     `.highest`   a proof of the highest assurance that the account can reach now: aal2 while a
///                  second factor is on, otherwise any
///
/// One proof must satisfy all. The password of an hour ago and the code of an app of now are a
/// recent proof of aal2, and of the kind `totp_code` alone.
///
/// The attacks:
/// - *An unlocked phone, or a stolen access token*: it changes the email within the session.
/// - *The password alone sets up the first factor of a protected account, or removes one* (Supabase
///   auth #2565): `.highest` asks for what the account has, not for what the session has shown.
/// - *A sign-in by two proofs of weeks ago*: the session is of aal2 for good, and the proof is old.
///
/// Opening a guest session proves no identity. That proof stays in the session if the guest is
/// upgraded within the limit, so it must not count.
///
/// Each method is remembered separately: a recent device proof does not replace the password where
/// the password is required, and does not hide that it was typed a minute ago. Ages are measured by
/// the session service's clock only, so the local clock does not matter.
///
/// Identity requires it, for example for changes of how an account signs in. Each rpc does it in
/// one line, which returns the session's owner (`SessionOwners`; `requireUnlessGuest` where guests
/// may call, too):
///
///     let owner = try await owners.require(.standard, in: context)
///
/// A new sensitive rpc of identity does the same. The gateway only passes the token on; a check
/// there would not stop a gateway that an attacker controls. Applications ask by
/// `AccountSessions/CheckRecentProof` before calls of their own.
package struct RecentProof: Hashable, Sendable {
    /// The assurance that a proof must have.
    package enum Strength: Hashable, Sendable {
        /// This one, or a higher one.
        case atLeast(Assurance)
        /// The highest that the account can reach now (`AvailableProofs.highest`).
        case highest
    }

    /// For calls without a limit of their own.
    package static let standard = RecentProof(within: .seconds(300), assurance: .highest)

    /// The maximum age of the proof.
    package let within: Duration
    /// The accepted kinds; if empty, any proof is accepted.
    package let kinds: Set<ProofKind>
    /// The least assurance.
    package let assurance: Strength

    /// A requirement; without `kinds` a proof of any kind is accepted.
    package init(within: Duration, kinds: Set<ProofKind> = [], assurance: Strength) {
        self.within = within
        self.kinds = kinds
        self.assurance = assurance
    }

    /// The latest of a session's proofs that is accepted; nil if there is none.
    /// - Parameter highest: The highest assurance that the account can reach now. It decides for
    ///   `.highest` alone.
    package func found(
        in proofs: [SessionV1.SessionProof], highest: Assurance, at now: Timestamp
    ) -> SessionV1.SessionProof? {
        proofs.filter { proof in
            let provedAt = Timestamp(milliseconds: proof.provedAtMs)
            guard now - provedAt < within, let assurance = Assurance(of: proof.amr) else {
                return false
            }
            return assurance >= least(highest)
                && (kinds.isEmpty || kinds.contains { $0.includes(proof.amr) })
        }.max { $0.provedAtMs < $1.provedAtMs }
    }

    /// The error for a missing proof, with the kinds that would be accepted, and no others.
    /// - Parameter available: What this account and session can provide.
    package func refusal(having available: AvailableProofs) -> ServiceError {
        let would = available.kinds.filter { kind, assurance in
            assurance >= least(available.highest) && (kinds.isEmpty || kinds.contains(kind))
        }
        var error = ServiceError(.requiresRecentLogin)
        error.acceptableProofs = would.map(\.key.rawValue).sorted()
        return error
    }

    private func least(_ highest: Assurance) -> Assurance {
        switch assurance {
        case .atLeast(let least): least
        case .highest: highest
        }
    }
}

/// A method of proving to be an account's owner. Raw values are the fields of
/// `ReauthenticateRequest` that carry such a proof, and are sent to callers.
package enum ProofKind: String, CaseIterable, Sendable {
    /// The account's password.
    case password
    /// The key of the device, used after its owner passed a device prompt.
    case deviceKey = "device_key"
    /// A fresh token of a provider that is linked to the account.
    case provider = "provider_token"
    /// A code that was sent to the account's phone.
    case phoneCode = "phone_code"
    /// A code of an authenticator app of the account (F-03).
    case totp = "totp_code"
    /// A recovery code of the account (F-03).
    case recoveryCode = "recovery_code"
    /// A passkey of the account (F-01).
    case passkey

    /// The kind in a request; nil for an unknown one, which must not count as "any".
    package init?(_ message: GatewayV1.ProofKind) {
        switch message {
        case .password: self = .password
        case .deviceKey: self = .deviceKey
        case .providerToken: self = .provider
        case .phoneCode: self = .phoneCode
        case .totpCode: self = .totp
        case .recoveryCode: self = .recoveryCode
        case .passkey: self = .passkey
        case .unspecified, .unrecognized: return nil
        }
    }

    /// Whether a proof with this `amr` is of this kind. A passkey has all values of a device's key
    /// too, and is none: it may be on another device than the session's.
    package func includes(_ amr: [String]) -> Bool {
        if self == .deviceKey, amr.contains(Authentication.ownKey) { return false }
        return Authentication.allCases.contains { $0.proof == self && $0.isPart(of: amr) }
    }
}
