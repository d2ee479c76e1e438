import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

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
