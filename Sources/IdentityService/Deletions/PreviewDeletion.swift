import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountDeletionsHandler {
    /// Returns the consequences of a deletion, in the order to show them, and the token that
    /// confirms it. It needs no recent proof: it changes nothing, and a person reads the
    /// consequences before proving again who they are.
    /// - Throws: as `caller(_:needsProof:_:)`; `auth/user-disabled`; `auth/invalid-access-token` when
    ///   the account no longer exists.
    func previewDeletion(
        _ request: IdentityV1.PreviewDeletionRequest, _ context: CallContext
    ) async throws -> IdentityV1.PreviewDeletionResponse {
        let caller = try await caller(request.caller, needsProof: false, context)
        let days = settings.deletion.wait.milliseconds / (24 * 3_600_000)
        let (consequences, deletion) = try await store.read { session in
            let row = try session.deletableRow(caller.account)
            let documents = try session.documentOwner(row.account)?.totals.documents ?? 0
            let deletion = try session.deletion(of: row.account)?.message
            return (Self.consequences(row, documents: documents, waitDays: days), deletion)
        }
        let confirmation = DeletionConfirmation(caller.account, caller.holder, at: time.now())
        return IdentityV1.PreviewDeletionResponse(
            consequences: consequences, confirmationToken: try confirmation.token(keys),
            expiresAtMs: confirmation.expiresAt.milliseconds,
            waitSeconds: UInt32(clamping: settings.deletion.wait.milliseconds / 1_000),
            deletion: deletion)
    }

    private static func consequences(
        _ row: AccountRow, documents: Int64, waitDays: Int64
    ) -> [IdentityV1.DeletionConsequence] {
        let hasProvider = row.methods.contains { $0 != "password" && $0 != PhoneIdentity.method }
        let all: [(kind: DeletionConsequence, count: Int64, applies: Bool)] = [
            (.account, 0, true), (.documents, documents, documents > 0),
            (.photo, 0, row.photo != nil), (.sessions, 0, true), (.provider, 0, hasProvider),
            (.wait, max(1, waitDays), true), (.final, 0, true),
        ]
        return all.filter(\.applies).map { one in
            IdentityV1.DeletionConsequence(
                kind: one.kind.rawValue, count: UInt32(clamping: one.count))
        }
    }
}
