import Messages
import ServiceRuntime

/// The stored response of a sign-in, for idempotent retries (G-25): the account and the outcome. It
/// holds no personal data; a retry reads everything else from the current rows.
struct FederatedSignInRecord: Sendable {
    let account: AccountID
    /// Time of the previous sign-in.
    let lastSignInAt: Timestamp?
    /// The response. Its accounts contain only their ids.
    private(set) var message: IdentityV1.AdmissionResponse

    /// A sign-in to `account`.
    init(_ account: AccountID, lastSignInAt: Timestamp?) {
        self.account = account
        self.lastSignInAt = lastSignInAt
        message = IdentityV1.AdmissionResponse(
            account: IdentityV1.Account(
                accountId: account.text, lastSignInAtMs: lastSignInAt?.milliseconds ?? 0))
    }

    /// Records the outcome in the response.
    mutating func note(_ decision: LinkingDecision, removed: [String]) {
        switch decision {
        case .signIn, .refuse: break
        case .link: message.isLinked = true
        case .takeOver:
            message.isLinked = true
            message.removedMethods = removed
        case .upgrade:
            message.isNewUser = true
            message.isUpgraded = true
        case .create: message.isNewUser = true
        }
    }

    /// Records that the guest is another account than the one signed in to.
    mutating func note(_ choice: CollisionChoice, token: String) {
        message.collision = IdentityV1.Collision(
            guest: IdentityV1.Account(accountId: choice.guest.text), choiceToken: token,
            expiresAtMs: choice.expiresAt.milliseconds)
    }

    /// Records the news since the previous sign-in; a new account has none.
    mutating func note(_ news: SignInNews) {
        if news.before != nil { message.news = news.message }
    }

    /// The guest that is another account than the one signed in to; nil without one.
    var guest: AccountID? { message.collision?.guest.flatMap { AccountID(text: $0.accountId) } }

    /// The encoded record, as the store keeps it.
    var bytes: [UInt8] { message.encoded() }

    /// Decodes what `bytes` produced.
    /// - Throws: `rpc/internal` when the account id is missing, a decoding error for other bytes.
    ///   Only this program writes records.
    init(_ bytes: [UInt8]) throws {
        message = try IdentityV1.AdmissionResponse(decoding: bytes)
        guard let kept = message.account, let account = AccountID(text: kept.accountId) else {
            throw ServiceError(.internalError, detail: "a stored sign-in has no account id")
        }
        self.account = account
        lastSignInAt =
            kept.lastSignInAtMs == 0 ? nil : Timestamp(milliseconds: kept.lastSignInAtMs)
    }
}
