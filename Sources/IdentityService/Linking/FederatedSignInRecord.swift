import CallRecords
import Messages
import ServiceRuntime
import Storage

/// What is kept of an admission's answer to give it again (G-25): whose it was and how it went.
/// Nothing personal; all else is read anew.
struct FederatedSignInRecord: Sendable {
    let account: AccountID
    /// The sign-in before this one.
    let lastSignInAt: Timestamp?
    /// The answer, whose accounts hold nothing but their ids.
    private(set) var message: IdentityV1.AdmissionResponse

    /// An admission to `account`.
    init(_ account: AccountID, lastSignInAt: Timestamp?) {
        self.account = account
        self.lastSignInAt = lastSignInAt
        message = IdentityV1.AdmissionResponse(
            account: IdentityV1.Account(
                accountId: account.text, lastSignInAtMs: lastSignInAt?.milliseconds ?? 0))
    }

    /// How it went, for the answer.
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

    /// The guest that asked is another account.
    mutating func note(_ choice: CollisionChoice, token: String) {
        message.collision = IdentityV1.Collision(
            guest: IdentityV1.Account(accountId: choice.guest.text), choiceToken: token,
            expiresAtMs: choice.expiresAt.milliseconds)
    }

    /// What there is to tell of the sign-in before; of a new account nothing.
    mutating func note(_ news: SignInNews) {
        if news.before != nil { message.news = news.message }
    }

    /// The guest that asked and is another account; nil for none.
    var guest: AccountID? { message.collision?.guest.flatMap { AccountID(text: $0.accountId) } }

    /// As the store keeps it.
    var bytes: [UInt8] { message.encoded() }

    /// Reads what `bytes` wrote.
    /// - Throws: `rpc/internal` for anything else: only this program writes it.
    init(_ bytes: [UInt8]) throws {
        message = try IdentityV1.AdmissionResponse(decoding: bytes)
        guard let kept = message.account, let account = AccountID(text: kept.accountId) else {
            throw ServiceError(.internalError, detail: "a kept admission names no account")
        }
        self.account = account
        lastSignInAt =
            kept.lastSignInAtMs == 0 ? nil : Timestamp(milliseconds: kept.lastSignInAtMs)
    }
}

/// Finds what a call has led to before.
struct FederatedSignInReplay {
    let parts: IdentityParts
    let transaction: Transaction

    /// The first answer to `call`; nil where it is new, or carries no key.
    ///
    /// It is given to who has proved the identity again, as long as that is still the account's: a
    /// captured key alone opens nothing, and what was taken away since is not given back.
    /// - Throws: `auth/idempotency-key-reused`, `auth/user-disabled`.
    func admitted(_ proved: ProvedIdentity, _ call: FederatedSignInCall) throws -> CommittedSignIn?
    {
        guard let bytes = try transaction.remembered(of: call.call) else { return nil }
        let record = try FederatedSignInRecord(bytes)
        let identity = try transaction.identity(lookUpKey: parts.keys.lookUpKey(of: proved))
        guard identity?.account == record.account,
            let row = try transaction.account(record.account)
        else { throw ServiceError(.idempotencyKeyReused) }
        guard row.status.isUsable else { throw ServiceError(.accountDisabled) }
        return CommittedSignIn(
            row: row, record: record,
            // The repeat may come in the millisecond in which the first one ended all sessions.
            provedAt: transaction.at + ProofIssuer.afterEnd,
            guest: try record.guest.flatMap(transaction.account))
    }
}
