import Contracts
import IdentityService
import Messages
import PersonalData
import RPC
import ServiceRuntime
import Storage

extension AccountDeletionsHandler {
    /// Returns the consequences of a deletion, in the order to show them and in the person's
    /// language, and the token that confirms it. It needs no recent proof: it changes nothing, and
    /// a person reads the consequences before proving again who they are.
    func previewDeletion(
        _ request: GatewayV1.PreviewDeletionRequest, _ context: CallContext
    ) async throws -> GatewayV1.PreviewDeletionResponse {
        let call = try await call(AccountDeletionDescription.previewDeletion, request, context)
        try await requireSession(of: call)
        let caller = try await caller(call, needsProof: false)
        let voice = context.metadata.voice
        // Whole days, at least one: a shorter wait is a test's.
        let days = max(1, deletions.wait.milliseconds / (24 * 3_600_000))
        let now = time.now()
        let (consequences, deletion) = try await store.read { session in
            (
                try session.consequences(
                    of: session.deletableRow(caller.account), by: caller.holder, waitDays: days,
                    at: now, in: voice),
                try session.deletion(of: caller.account)?.message
            )
        }
        let confirmation = DeletionConfirmation(caller.account, caller.holder, at: now)
        return GatewayV1.PreviewDeletionResponse(
            consequences: consequences, confirmationToken: try confirmation.token(keys),
            expiresAtMs: confirmation.expiresAt.milliseconds,
            waitSeconds: UInt32(clamping: deletions.wait.milliseconds / 1_000),
            deletion: deletion)
    }
}

extension SQLSession {
    /// What the deletion of an account does, in the order to show it. While there is an export, and by
    /// a link to an account with a second factor, the deletion waits whether or not that is requested.
    fileprivate func consequences(
        of row: AccountRow, by holder: DeletionHolder, waitDays: Int64, at moment: Timestamp,
        in voice: Voice
    ) throws -> [GatewayV1.DeletionConsequence] {
        let documents = try documentOwner(row.account)?.totals.documents ?? 0
        let hasGrant = try !grants(of: row.account).isEmpty
        let hasExport = try hasExport(of: row.account, at: moment)
        let isByMailboxAlone = try isByMailboxAlone(holder, of: row.account)
        let all: [(kind: DeletionConsequence, count: Int64, applies: Bool)] = [
            (.account, 0, true), (.documents, documents, documents > 0),
            (.photo, 0, row.photo != nil), (.sessions, 0, true), (.provider, 0, hasGrant),
            (.export, waitDays, hasExport),
            (.secondFactor, waitDays, !hasExport && isByMailboxAlone),
            (.wait, waitDays, !hasExport && !isByMailboxAlone), (.final, 0, true),
        ]
        return all.filter(\.applies).map { one in
            GatewayV1.DeletionConsequence(
                kind: one.kind.rawValue,
                sentence: one.kind.sentence(count: UInt32(clamping: one.count), in: voice))
        }
    }
}
