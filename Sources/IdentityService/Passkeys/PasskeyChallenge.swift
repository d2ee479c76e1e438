import ServiceRuntime

/// A challenge that was issued here (`PasskeyChallenges`), read from a response.
struct PasskeyChallenge: Hashable, Sendable {
    /// What a challenge is for, and who holds it. It is good for nothing else.
    enum Purpose: Hashable, Sendable {
        /// A sign-in. It has no holder: no one is known yet, and the signature decides who it is.
        case signIn
        /// Adding a passkey to an account in a session. `isAutomatic`: the browser does so without
        /// a prompt, after a sign-in by a password (`mediation: "conditional"`).
        case adding(AccountID, SessionID, isAutomatic: Bool)
        /// A fresh proof in a session.
        case sessionProof(SessionID)
        /// The second proof of a sign-in, by the hash of its challenge's token.
        case signInProof([UInt8])

        /// The ceremony that answers it.
        var ceremony: Ceremony {
            if case .adding = self { .registration } else { .assertion }
        }

        /// The flags that a response must have set. None for a passkey that a browser adds without
        /// a prompt: there is no person to ask. It proves nothing until it is used, with both.
        var required: AuthenticatorData.Flags {
            if case .adding(_, _, isAutomatic: true) = self { return [] }
            return [.userPresent, .userVerified]
        }
    }

    /// A ceremony.
    enum Ceremony: Hashable, Sendable {
        /// A new passkey.
        case registration
        /// A signature by a passkey.
        case assertion

        /// `type` in client data (Web Authentication Level 3, section 5.8.1).
        var type: String {
            switch self {
            case .registration: "webauthn.create"
            case .assertion: "webauthn.get"
            }
        }
    }

    /// The challenge, in Base64url.
    let text: String
    /// What it was issued for.
    let purpose: Purpose
}
