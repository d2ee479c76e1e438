import Contracts
import IdentityService
import Logging
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.gateway.v1.Guests`, but for their sign-in: what happens to the documents of a guest
/// that signs in to an account (G-16).
///
/// The account is the one of an access token, which the session service resolves. A choice token
/// names the guest, and counts in a session of its account only.
struct GuestDataHandler: IdentityGuestsService, AccountCallsHandler, AccountWriting {
    let documents: DocumentsHandler
    let guests: GuestSettlement
    /// The streams that wait for a change of an account's migrations.
    let watchers: AccountWatchers
    let logger: Logger

    var calls: AccountCalls { documents.calls }
    var store: Store { documents.store }
    var writer: AccountWriter { documents.writer }
    /// Performs what was chosen.
    var job: MigrationJob {
        MigrationJob(documents: documents, guests: guests, watchers: watchers, logger: logger)
    }

    /// The choice of a token, for the account of an access token.
    /// - Throws: `auth/invalid-choice` for a token that has expired, or is another account's.
    func choice(
        _ token: String, of account: AccountID
    ) throws(ServiceError) -> CollisionChoice {
        guard let choice = CollisionChoice(token: token, keys, at: documents.time.now()),
            choice.account == account
        else { throw ServiceError(.invalidChoice, fields: ["choice_token"]) }
        return choice
    }

    /// The guest of a choice.
    /// - Throws: `auth/invalid-choice` if it is gone, became an account, or all of its sessions
    ///   were ended since the token was issued.
    func guest(of choice: CollisionChoice, in session: some SQLSession) throws -> AccountRow {
        guard let guest = try session.account(choice.guest), guest.isGuest,
            guest.status.isUsable, guest.sessionGeneration == choice.guestGeneration
        else { throw ServiceError(.invalidChoice, fields: ["choice_token"]) }
        return guest
    }

    /// A migration as its owner sees it, with what could not be moved.
    /// - Throws: as `SQLSession.callersRow`; if the account's key does not decrypt.
    func message(
        _ migration: StoredMigration, in session: some SQLSession
    ) throws -> GatewayV1.Migration {
        let row = try session.callersRow(migration.account)
        let vault = try reader.vault(row)
        let issues = try session.migrationItems(
            of: migration.migration, isIssue: true, limit: Self.issuesMax
        ).map { row in
            // The step has logged one that does not open, and the rest of the answer is readable.
            let key = (try? vault.open(row))?.key
            return GatewayV1.MigrationIssue(
                collection: key?.collection ?? "", name: key?.name ?? "", code: row.issue ?? "")
        }
        return migration.message(issues: issues)
    }

    /// Issues of one answer, as the message says.
    private static let issuesMax = 50
}

extension GuestDataHandler {
    /// Returns a migration of the caller's account, or its latest (G-16).
    func getMigration(
        _ request: GatewayV1.GetMigrationRequest, _ call: AccountCall
    ) async throws -> GatewayV1.GetMigrationResponse {
        let id = try Self.migration(request.migrationId)
        let migration = try await store.read { session in
            try message(Self.migration(id, of: call.account, in: session), in: session)
        }
        return GatewayV1.GetMigrationResponse(migration: migration)
    }

    /// The id in a request; nil for the latest.
    /// - Throws: `rpc/invalid-argument`.
    static func migration(_ text: String) throws(ServiceError) -> MigrationID? {
        guard !text.isEmpty else { return nil }
        guard let id = MigrationID(text: text) else {
            throw ServiceError(.invalidArgument, fields: ["migration_id"])
        }
        return id
    }

    /// A migration of an account.
    /// - Parameter id: Nil for the latest.
    /// - Throws: `rpc/not-found`, also for one of another account.
    static func migration(
        _ id: MigrationID?, of account: AccountID, in session: some SQLSession
    ) throws -> StoredMigration {
        let found =
            try id.map { try session.migration($0) }
            ?? session.migrations(of: account, limit: 1).first
        guard let found, found.account == account, found.state != .receiving else {
            throw ServiceError(.notFound, fields: ["migration_id"])
        }
        return found
    }

    /// Streams a migration: as it is now and at each change, until it has succeeded or needs
    /// attention (G-16). The token is checked before anything is sent, and the stream ends when it
    /// expires.
    func watchMigration(
        _ request: GatewayV1.WatchMigrationRequest,
        _ items: OutgoingItems<GatewayV1.WatchMigrationItem>, _ call: AccountCall
    ) async throws {
        var id = try Self.migration(request.migrationId)
        let account = call.account
        var sent: GatewayV1.Migration?
        try await watchers.following(account, documents.time) {
            let token = try await calls.owner(in: call.context)
            let (stored, now) = try await store.read { [id] session in
                let stored = try Self.migration(id, of: account, in: session)
                return (stored, try message(stored, in: session))
            }
            id = stored.migration
            if now != sent { try await items.write(.init(migration: now)) }
            sent = now
            return stored.state.isActive ? token.expiresAt : nil
        }
    }
}
