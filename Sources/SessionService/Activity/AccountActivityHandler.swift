import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.session.v1.AccountActivity`: when an account was used, for identity and the operator's
/// tool.
struct AccountActivityHandler: AccountActivityService {
    let store: Store
    let life: SessionLife
    let activity: Activity
    let time: any Time

    /// Returns an account's activity (I-01): its live sessions, when one was last used, and when
    /// the account was last seen.
    func getAccountActivity(
        _ request: SessionV1.GetAccountActivityRequest, _ context: CallContext
    ) async throws -> SessionV1.GetAccountActivityResponse {
        try store.clock.requireAnswering()
        try context.requireAccountKeeper()
        guard let account = AccountID(text: request.accountId) else {
            throw ServiceError(.invalidArgument, fields: ["account_id"])
        }
        return SessionV1.GetAccountActivityResponse(
            activity: answer(try await store.read { try $0.uses(of: account) }))
    }

    /// The activity of an account by its stored uses, with the marks that are not on disk yet.
    func answer(_ uses: AccountUses) -> GatewayV1.AccountActivity {
        let now = time.now()
        let sessions = uses.open.map(activity.applied(to:))
        let live = sessions.filter { life.state(of: $0, at: now) == .live }
        // A session that has timed out was still used, even if its end is not written yet.
        let latest = (sessions.map(\.usedAt) + [uses.seen].compactMap(\.self)).max()
        return GatewayV1.AccountActivity(
            liveSessions: UInt32(clamping: live.count),
            lastActivity: live.map(\.usedAt).max().map { .lastActivityAtMs($0.milliseconds) },
            lastSeen: latest.map { .lastSeenAtMs($0.milliseconds) })
    }
}

extension AccountActivityHandler {
    /// Accounts in one request.
    static let accountsMax = 1_000
    /// Accounts in one read, so that no other read waits long for it.
    private static let accountsAtOnce = 100

    /// Returns the activity of accounts, for identity's search for unused guests (I-04).
    func listAccountActivity(
        _ request: SessionV1.ListAccountActivityRequest, _ context: CallContext
    ) async throws -> SessionV1.ListAccountActivityResponse {
        try store.clock.requireAnswering()
        try context.requireAccountKeeper()
        let accounts = request.accountIds.compactMap { AccountID(text: $0) }
        guard accounts.count == request.accountIds.count, accounts.count <= Self.accountsMax else {
            throw ServiceError(.invalidArgument, fields: ["account_ids"])
        }
        var activities: [GatewayV1.AccountActivity] = []
        var rest = accounts[...]
        while !rest.isEmpty {
            let step = rest.prefix(Self.accountsAtOnce)
            rest = rest.dropFirst(Self.accountsAtOnce)
            let uses = try await store.read { session in try step.map { try session.uses(of: $0) } }
            activities += uses.map(answer)
        }
        return SessionV1.ListAccountActivityResponse(activities: activities)
    }
}

/// What the store has about the use of an account.
struct AccountUses: Sendable {
    /// Its sessions that have not ended.
    let open: [Session]
    /// When it was last seen; nil if that is not known.
    let seen: Timestamp?
}

extension SQLSession {
    /// The stored uses of an account.
    func uses(of account: AccountID) throws -> AccountUses {
        AccountUses(open: try openSessions(of: account), seen: try accountSeen(account))
    }
}
