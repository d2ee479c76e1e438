/// How the owner of an account has authenticated: what a session, its access tokens and its proofs
/// have as `amr`, and the kind of recent proof that it is (G-13). Sessions store the values in this
/// order, and the operator writes them in `session-limits`, so they never change.
///
/// RFC 8176 defines all values but four. It has none for a provider, whose own methods are not
/// known here (`fed`), and none for a guest, who has proved nothing (`anon`). A code of an
/// authenticator app and a recovery code are `otp` and more: `totp` and `recovery` say which.
///
/// `mfa` is part of a proof that makes a session one of `Assurance.aal2`: of a second factor; of a
/// recovery code; of a passkey, a key that is used after user verification (UV); and of a provider's
/// token that counts as both proofs. A sign-in by two proofs has the values of both in one list. Two
/// ways to sign in are not `mfa`, whatever they are: a code in a text message beside a password is no
/// second factor here.
package enum Authentication: CaseIterable, Sendable {
    /// The password.
    case password
    /// A mailed link, which is a secret for one use, and the new password that was set by it
    /// (G-11).
    case resetLink
    /// A code in a text message.
    case phoneCode
    /// A code in a mail, which is a second proof only (F-03). It is no recent proof of its own.
    case mailedCode
    /// A provider's token.
    case providerToken
    /// A provider's token that says that two proofs were given (`ProvedIdentity.hasBothProofs`).
    case strongProviderToken
    /// A code of an authenticator app (F-03).
    case totp
    /// A recovery code (F-03).
    case recoveryCode
    /// A passkey that stays on its device (F-01): BE unset. As its attestation is not read, `hwk`
    /// is the authenticator's word and no proof.
    case hardwarePasskey
    /// A passkey of which there may be copies: BE set.
    case softwarePasskey
    /// The device's key after a prompt, where hardware keeps the key and does not export it.
    case hardwareKey
    /// The device's key after a prompt, where it can be copied.
    case softwareKey
    /// None: the session is a guest's (G-07).
    case guest

    /// The authentication methods.
    package var amr: [String] { facts.amr }

    /// The kind of recent proof that it is; nil if it proves nothing.
    package var proof: ProofKind? { facts.proof }

    /// Whether `amr` has all methods of this one, possibly beside others.
    package func isPart(of amr: [String]) -> Bool {
        facts.amr.allSatisfy { amr.contains($0) }
    }

    /// The value of `amr` that says: by two proofs.
    package static let twoProofs = "mfa"

    /// The value of `amr` that says: by a key that belongs to the account, and not to a session. It
    /// tells a passkey from a device's key.
    package static let ownKey = "pop"

    private var facts: (amr: [String], proof: ProofKind?) {
        switch self {
        case .password: (["pwd"], .password)
        case .resetLink: (["otp", "pwd"], .password)
        case .phoneCode: (["sms", "otp"], .phoneCode)
        case .mailedCode: (["otp"], nil)
        case .providerToken: (["fed"], .provider)
        case .strongProviderToken: (["fed", Self.twoProofs], .provider)
        case .totp: (["otp", "totp", Self.twoProofs], .totp)
        case .recoveryCode: (["otp", "recovery", Self.twoProofs], .recoveryCode)
        case .hardwarePasskey: ([Self.ownKey, "hwk", "user", Self.twoProofs], .passkey)
        case .softwarePasskey: ([Self.ownKey, "swk", "user", Self.twoProofs], .passkey)
        case .hardwareKey: (["hwk", "user"], .deviceKey)
        case .softwareKey: (["swk", "user"], .deviceKey)
        case .guest: (["anon"], nil)
        }
    }
}
