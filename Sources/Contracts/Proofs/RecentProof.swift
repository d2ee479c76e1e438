package import Messages
package import ServiceRuntime

/// The requirement of a sensitive call: the account's owner must have authenticated recently, by an
/// accepted method (G-13). Pure:
///
///     the session's proofs of an accepted kind        the call
///     one is younger than the limit                   continues
///     each is as old as the limit, or older           auth/requires-recent-login
///     none                                            auth/requires-recent-login
///     a guest's only                                  auth/requires-recent-login
///
/// Opening a guest session proves no identity. That proof stays in the session if the guest is
/// upgraded within the limit, so it must not count.
///
/// Each method is remembered separately: a recent device proof does not replace the password where
/// the password is required, and does not hide that it was typed a minute ago. Ages are measured by
/// the session service's clock only, so the local clock does not matter.
///
/// Identity requires it, for example for changes of how an account signs in. Each rpc does it in one
/// line, which returns the session's owner (`SessionOwners`; `requireUnlessGuest` where guests may
/// call, too):
///
///     let owner = try await owners.require(.standard, of: request.accessToken, context)
///
/// A new sensitive rpc of identity does the same. The gateway only passes the token on; a check
/// there would not stop a gateway that an attacker controls. Applications ask by
/// `AccountSessions/CheckRecentProof` before calls of their own.
///
/// Attack: an attacker with an unlocked phone or a stolen access token changes the email.
package struct RecentProof: Hashable, Sendable {
    /// For calls without a limit of their own.
    package static let standard = RecentProof(within: .seconds(300))

    /// The maximum age of the proof.
    package let within: Duration
    /// The accepted kinds; if empty, any proof is accepted.
    package let kinds: Set<ProofKind>

    /// A requirement; without `kinds` any proof is accepted.
    package init(within: Duration, kinds: Set<ProofKind> = []) {
        self.within = within
        self.kinds = kinds
    }

    /// The latest of a session's proofs that is accepted; nil if there is none.
    package func found(
        in proofs: [SessionV1.SessionProof], at now: Timestamp
    ) -> SessionV1.SessionProof? {
        proofs.filter { proof in
            let provedAt = Timestamp(milliseconds: proof.provedAtMs)
            return now - provedAt < within && !Authentication.guest.isPart(of: proof.amr)
                && (kinds.isEmpty || kinds.contains(any: proof))
        }.max { $0.provedAtMs < $1.provedAtMs }
    }

    /// The error for a missing proof, with the kinds that would be accepted.
    /// - Parameter having: the kinds of proof that this account and session can provide.
    package func refusal(having: Set<ProofKind>) -> ServiceError {
        let would = kinds.isEmpty ? having : having.intersection(kinds)
        var error = ServiceError(.requiresRecentLogin)
        error.acceptableProofs = would.map(\.rawValue).sorted()
        return error
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

    /// The kind in a request; nil for an unknown one, which must not count as "any".
    package init?(_ message: GatewayV1.ProofKind) {
        switch message {
        case .password: self = .password
        case .deviceKey: self = .deviceKey
        case .providerToken: self = .provider
        case .phoneCode: self = .phoneCode
        case .unspecified, .unrecognized: return nil
        }
    }

    /// Whether a proof with this `amr` is of this kind.
    package func includes(_ amr: [String]) -> Bool {
        Authentication.allCases.contains { $0.proof == self && $0.isPart(of: amr) }
    }
}

extension Set<ProofKind> {
    /// The kinds of proof that an account with these sign-in methods can provide, in a session that
    /// is bound to a device key or not.
    package init(methods: [SignInMethod], hasDeviceKey: Bool) {
        self = Set(methods.compactMap(\.authentication.proof))
        if hasDeviceKey { insert(.deviceKey) }
    }

    fileprivate func contains(any proof: SessionV1.SessionProof) -> Bool {
        contains { $0.includes(proof.amr) }
    }
}
