import Contracts
import Messages

/// A kind of second proof (F-03), in the order in which apps offer them. Raw values are the fields of
/// `CompleteSignInRequest` that carry such a proof; they are sent to callers and stored.
///
/// To add one: a case in its place, its row in `facts`, its condition in `isAvailable`, and how it is
/// verified (`ShownProof`). Recovery codes come last: offered first, people use them up (Keycloak
/// #44115).
enum SecondProofKind: String, CaseIterable, Sendable {
    /// A passkey of the account (F-01). It comes first: a tap, and nothing to be typed on a false
    /// page.
    case passkey
    /// A code of an authenticator app.
    case totp = "totp_code"
    /// A code in a text message to the account's number.
    case phone = "phone_code"
    /// A code in a mail to the account's verified address.
    case email = "email_code"
    /// The account's password.
    case password
    /// A token of a provider that is linked to the account.
    case provider = "provider_token"
    /// A recovery code, which is used up.
    case recoveryCode = "recovery_code"

    /// All facts of a kind but how it is verified.
    private struct Facts {
        /// What a session has of it beside the first proof's (RFC 8176). A passkey may have other
        /// values (`ChallengeAnswer.secondProof`).
        let amr: [String]
        /// The owner has set it up as a second factor, or it stands in for one: it satisfies the
        /// demand *enrolled*.
        var isFactor = false
        /// A code that `SendChallengeCode` sends.
        var isCode = false
    }

    private var facts: Facts {
        switch self {
        case .passkey: Facts(amr: Authentication.softwarePasskey.amr, isFactor: true)
        case .totp: Facts(amr: Authentication.totp.amr, isFactor: true)
        case .phone: Facts(amr: Authentication.phoneCode.amr, isCode: true)
        case .email: Facts(amr: Authentication.mailedCode.amr, isCode: true)
        case .password: Facts(amr: Authentication.password.amr)
        case .provider: Facts(amr: Authentication.providerToken.amr)
        case .recoveryCode: Facts(amr: Authentication.recoveryCode.amr, isFactor: true)
        }
    }

    /// What a session has of it beside the first proof's.
    var amr: [String] { facts.amr }
    /// Whether it satisfies the demand *enrolled*.
    var isFactor: Bool { facts.isFactor }
    /// Whether it is a code that `SendChallengeCode` sends.
    var isSentCode: Bool { facts.isCode }

    /// Whether the account has this kind, and it is independent of the first proof.
    func isAvailable(_ account: SecondProofAccount, after first: FirstProof) -> Bool {
        switch self {
        case .passkey: account.hasPasskey && isIndependent([.passkey], of: first)
        case .totp: account.hasTOTP && isIndependent([.app], of: first)
        // Never the only factor: it stands in for one that is lost.
        case .recoveryCode:
            (account.hasTOTP || account.hasPasskey) && account.hasRecoveryCodes
                && isIndependent([.paper], of: first)
        case .phone:
            account.hasNumber && !account.isNumberGuarded && isIndependent([.number], of: first)
        case .email: account.hasProvedAddress && isIndependent([.mailbox], of: first)
        case .password: account.hasPassword && isIndependent([.memory], of: first)
        case .provider: !account.providers(independentOf: first).isEmpty
        }
    }

    private func isIndependent(_ channels: Set<ProofChannel>, of first: FirstProof) -> Bool {
        first.channels.isDisjoint(with: channels)
    }

    /// The kinds that an account has for a second proof, in order.
    static func available(
        _ account: SecondProofAccount, after first: FirstProof
    ) -> [SecondProofKind] {
        allCases.filter { $0.isAvailable(account, after: first) }
    }
}

/// What an account has for a second proof, as read in the transaction that decides.
struct SecondProofAccount: Hashable, Sendable {
    var hasPassword = false
    /// An address that its owner has verified.
    var hasProvedAddress = false
    var hasNumber = false
    /// The number was reported as changed, and its owner has not confirmed it since: a code to it
    /// proves nothing (`NumberChangeRule`).
    var isNumberGuarded = false
    /// A passkey that can be used.
    var hasPasskey = false
    /// An authenticator app is set up.
    var hasTOTP = false
    var hasRecoveryCodes = false
    /// The channels of each linked provider, by its name.
    var providers: [String: Set<ProofChannel>] = [:]

    /// The names of the linked providers whose tokens are independent of the first proof, in
    /// alphabetical order.
    func providers(independentOf first: FirstProof) -> [String] {
        providers.filter { first.channels.isDisjoint(with: $0.value) }.map(\.key).sorted()
    }
}
