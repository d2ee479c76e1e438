import Messages
import RPC
import ServiceRuntime
import Storage

extension GuestDataHandler {
    /// The longest time between two checks of the access token.
    private static let watchInterval: Duration = .seconds(30)

    /// Streams a migration: as it is now and at each change, until it has succeeded or needs
    /// attention (G-16). The token is checked before anything is sent, and the stream ends when it
    /// expires.
    /// - Throws: as `getMigration`; `rpc/resource-exhausted` when the account has too many streams;
    ///   an error when the call is over.
    func watchMigration(
        _ request: IdentityV1.WatchMigrationRequest,
        _ items: OutgoingItems<IdentityV1.WatchMigrationItem>, _ context: CallContext
    ) async throws {
        var id = try Self.migration(request.migrationId)
        let account = try await owner(of: request.accessToken, context).account
        var sent: IdentityV1.Migration?
        try await watchers.watching(account) { signal in
            while true {
                let token = try await current(request, context)
                let (stored, now) = try await store.read { [id] session in
                    let stored = try Self.migration(id, of: account, in: session)
                    return (stored, try message(stored, in: session))
                }
                id = stored.migration
                if now != sent { try await items.write(.init(migration: now)) }
                sent = now
                guard stored.state.isActive else { return }
                let life = max(token.expiresAt - documents.time.now(), .seconds(1))
                await signal.wait(
                    atMost: min(Self.watchInterval, life), time: documents.time)
                try Task.checkCancellation()
            }
        }
    }

    /// The owner of the stream's token, now. The stream may last for an hour, a single call not.
    private func current(
        _ request: IdentityV1.WatchMigrationRequest, _ context: CallContext
    ) async throws -> ValidAccessToken {
        let deadline = min(context.deadline, documents.time.uptime() + .seconds(10))
        return try await owner(
            of: request.accessToken,
            CallContext(
                application: context.application, deadline: deadline,
                metadata: context.metadata))
    }
}
