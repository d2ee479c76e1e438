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
