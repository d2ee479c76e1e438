/// How the owner of an account has authenticated: what a session, its access tokens and its proofs
/// have as `amr`, and the kind of recent proof that it is (G-13). Sessions store the values in this
/// order, and the operator writes them in `session-limits`, so they never change.
///
/// RFC 8176 defines all values but two. It has none for a provider, whose own methods are not
/// known here (`fed`), and none for a guest, who has proved nothing (`anon`).
package enum Authentication: CaseIterable, Sendable {
    /// The password.
    case password
    /// A mailed link, which is a secret for one use, and the new password that was set by it
    /// (G-11).
    case resetLink
    /// A code in a text message.
    case phoneCode
    /// A provider's token.
    case providerToken
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

    private var facts: (amr: [String], proof: ProofKind?) {
        switch self {
        case .password: (["pwd"], .password)
        case .resetLink: (["otp", "pwd"], .password)
        case .phoneCode: (["sms", "otp"], .phoneCode)
        case .providerToken: (["fed"], .provider)
        case .hardwareKey: (["hwk", "user"], .deviceKey)
        case .softwareKey: (["swk", "user"], .deviceKey)
        case .guest: (["anon"], nil)
        }
    }
}
